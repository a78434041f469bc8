"""What came out: confirmed, not confirmed, or could not be driven. Never a fourth."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...language.constants import Value
from .consumers.cluster import Consuming
from .consumers.driver import ConsumerDriver, of_consumers
from .consumers.driver import settings_of as settings_of_consumers
from .consumers.plan import ConsumerPlan, consumer_plan
from .controllers.cluster import Voters
from .controllers.driver import QuorumDriver, of_quorum
from .controllers.plan import QuorumPlan, quorum_plan
from .nodes.cluster import Needs
from .nodes.processes import CLOCKS
from .nodes.releases import KNOWN, Release, at_home, of_version
from .nodes.running import Broken, Running, start_nodes
from .nodes.wire import Refused
from .offsets.cluster import Outage
from .offsets.driver import OutageDriver, of_outages
from .offsets.plan import OutagePlan, home_of, homes_of, outage_plan
from .partition.cluster import PartitionCluster
from .partition.driver import Driven, Driver, numbers_of
from .partition.fitting import (
    OF_CONSUMERS,
    OF_CONTROLLERS,
    OF_OUTAGES,
    OF_PRODUCERS,
    OF_TRANSACTIONS,
    SETTINGS,
    CannotBeDriven,
    Fitted,
    Trace,
    first_planned,
    repaired,
    trace_of,
    version_for,
)
from .partition.plan import BrokerStage, Plan, plan_of
from .partition.world import Seen
from .producer.cluster import Producing
from .producer.driver import ProducerDriver, of_producer, settings_of
from .producer.plan import ProducerPlan, producer_plan
from .stages import STEP_SECONDS, Document, S, StageDriver, Taken, step_document
from .transactions.cluster import Transactions
from .transactions.driver import TxnDriver, of_transactions
from .transactions.plan import TxnPlan, txn_plan

SCHEMA = "tidegate.confirm/1"
Report = Callable[[str], None]
NO_REPAIR: Mapping[str, str] = {
    OF_CONTROLLERS: "what repairs a quorum of controllers is another release, and no setting",
    OF_TRANSACTIONS: "what repairs transactions is another release, and no setting that `--repaired` has",
    OF_OUTAGES: "what repairs the topic of offsets is a step of the trace, `reassign`, and no setting",
    **{
        of: f"what repairs a {of} are its own settings: check `{of}` with them, and drive what that finds"
        for of in (OF_PRODUCERS, OF_CONSUMERS)
    },
}
"""Models whose traces are their steps, and why no settings repair what they show."""
_PLANS: Mapping[str, Callable[..., QuorumPlan | TxnPlan | ProducerPlan | ConsumerPlan | OutagePlan]] = {
    OF_CONTROLLERS: quorum_plan,
    OF_TRANSACTIONS: txn_plan,
    OF_PRODUCERS: producer_plan,
    OF_CONSUMERS: consumer_plan,
    OF_OUTAGES: outage_plan,
}


def planned(
    trace: Trace,
    kafka: str | None,
    *,
    with_repair: bool = False,
    given: Mapping[str, Value | str] | None = None,
    anyway: bool = False,
) -> Plan:
    """The plan of a trace, with its own settings or with the repair's; where no release is given, on the first that
    keeps the record with these. CannotBeDriven, with why, where there is none."""
    fitted = version_for(trace, kafka, anyway=anyway)
    if not with_repair:
        return plan_of(fitted)
    releases = dict.fromkeys([kafka] if kafka is not None else [fitted.kafka, *KNOWN])
    return first_planned(releases, lambda release: plan_of(repaired(trace, release, given or {}, fitted.lost)))


def confirmed(
    document: Mapping[str, Any],
    *,
    kafka: str | None = None,
    home: Path | None = None,
    with_repair: bool = False,
    given: Mapping[str, Value | str] | None = None,
    anyway: bool = False,
    limit: float = STEP_SECONDS,
    keep: Path | None = None,
    report: Report = lambda text: None,
) -> Document:
    """Drives a real cluster through the trace of a document and says what came out. UsageError where there is no such
    release, or no Java."""
    release = None if home is None else at_home(home)
    version = kafka if release is None else release.version
    try:
        trace = trace_of(document)
        if trace.model in NO_REPAIR:
            return _of_steps(document, trace, version, release, with_repair, anyway, limit, keep, report)
        plan = planned(trace, version, with_repair=with_repair, given=given, anyway=anyway)
    except CannotBeDriven as error:
        return _not_driven(document, version, error, with_repair)
    release = release or of_version(exact(plan.fitted.kafka))
    try:
        driven = _driven(plan, release, limit, keep, report)
    except (Broken, Refused, OSError) as error:
        return _not_driven(document, release.version, CannotBeDriven(str(error)), with_repair, plan)
    return result(document, plan, driven, release.version, with_repair)


def _of_steps(
    document: Mapping[str, Any],
    trace: Trace,
    version: str | None,
    release: Release | None,
    with_repair: bool,
    anyway: bool,
    limit: float,
    keep: Path | None,
    report: Report,
) -> Document:
    """Of a trace whose steps are all that counts."""
    if with_repair:
        raise CannotBeDriven(NO_REPAIR[trace.model])
    plan = _PLANS[trace.model](trace, version, anyway=anyway)
    release = release or of_version(exact(plan.kafka))
    report(f"starting Kafka {release.version}")
    head = _head(document, release.version, with_repair)
    try:
        if isinstance(plan, QuorumPlan):
            voters = Voters(release, len(list(plan.run.start.log)), keep)
            return of_quorum(head, plan, *_taken(voters, QuorumDriver(plan, voters, limit), report))
        if isinstance(plan, ProducerPlan):
            producing = producing_of(plan, release, keep)
            return of_producer(head, plan, *_taken(producing, ProducerDriver(plan, producing, limit), report))
        if isinstance(plan, ConsumerPlan):
            consuming = consuming_of(plan, release, keep)
            return of_consumers(head, plan, *_taken(consuming, ConsumerDriver(plan, consuming, limit), report))
        if isinstance(plan, OutagePlan):
            outage = outage_of(plan, release, keep)
            return of_outages(head, plan, *_taken(outage, OutageDriver(plan, outage, limit), report))
        clocks = any(stage.action == "time_out" for stage in plan.stages)
        brokers = Transactions(release, map(str, plan.run.start.logs), plan.version_2, clocks=clocks, kept=keep)
        return of_transactions(head, plan, *_taken(brokers, TxnDriver(plan, brokers, limit), report))
    except (Broken, Refused, OSError) as error:
        return not_driven(head, CannotBeDriven(str(error)))


def producing_of(plan: ProducerPlan, release: Release, keep: Path | None) -> Producing:
    """The brokers and the producer of a plan. A producer that is to learn of a leader by itself asks often."""
    age = 300 if plan.has("learn_leader") else 3_600_000
    settings = {**settings_of(plan), "metadata.max.age.ms": age}
    settings["enable.idempotence"] = str(settings["enable.idempotence"]).lower()
    return Producing(release, len(list(plan.run.start.logs)), settings, refuses=plan.refuses, kept=keep)


def consuming_of(plan: ConsumerPlan, release: Release, keep: Path | None) -> Consuming:
    """The broker and the consumers of a plan. Where partitions are added or leaders change, consumers ask often."""
    values = plan.model.values
    age = 300 if plan.has("add_partition", "truncate") else 3_600_000
    revoke = values["commits_on_revoke"] and not values["hands_over"]
    settings = {**settings_of_consumers(plan), "metadata.max.age.ms": age, "revoke": revoke}
    given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in settings.items()}
    start = plan.run.start
    together = any(len(state.joined) > 1 and state.joined == state.group for state in plan.run.states())
    return Consuming(
        release,
        len(list(start.present)),
        len(list(start.phase)),
        given,
        committed=bool(values["has_offsets"]),
        together=together,
        kept=keep,
    )


def outage_of(plan: OutagePlan, release: Release, keep: Path | None) -> Outage:
    """The brokers of a plan, and its groups with the partitions that their offsets are in."""
    start = plan.run.start
    homes = homes_of(start)
    groups = {str(group): homes[home_of(start, group)] for group in start.position}
    return Outage(release, len(plan.brokers), groups, len(homes), keep)


def _taken(nodes: Running, driver: StageDriver[S, Any, Any], report: Report) -> tuple[tuple[Taken, ...], float]:
    """What a driver has taken on nodes, which are started for it and end with it, and in how many seconds."""
    with nodes:
        nodes.start_all()
        began = time.monotonic()
        taken = driver.drive(lambda stage: report(f"step {stage.first}: {stage.action}"))
        return taken, round(time.monotonic() - began, 1)


def exact(kafka: str) -> str:
    """A release with all of its numbers: the first of 3.9 is 3.9.0."""
    return kafka if kafka.count(".") == 2 else f"{kafka}.0"


def _driven(plan: Plan, release: Release, limit: float, keep: Path | None, report: Report) -> Driven:
    report(f"starting Kafka {release.version}")
    with start_nodes(lambda: PartitionCluster(release, needs_of(plan), keep), keep) as cluster:

        def say(stage: BrokerStage) -> None:
            report(f"step {stage.first}: {stage.action}")

        return Driver(plan, cluster, limit).driven(say)


def needs_of(plan: Plan) -> Needs:
    """What a plan needs of a cluster."""
    values, numbers = plan.fitted.model.values, numbers_of(plan)
    topic = {"min.insync.replicas": str(values["min_isr"])}
    topic["unclean.leader.election.enable"] = str(values["unclean"]).lower()
    if values["fsync"]:
        topic["flush.messages"] = "1"
    order = tuple(numbers[broker] for broker in plan.order)
    return Needs(order, topic, bool(values["elr"]), plan.session, plan.lag)


# --- as a document ----------------------------------------------------------------------------------------------------


def result(document: Mapping[str, Any], plan: Plan, driven: Driven, kafka: str, with_repair: bool) -> Document:
    """What came out of a plan that was driven to its end, or to where real brokers did otherwise."""
    found, why = _kept(plan.fitted, driven) if with_repair else _lost(plan.fitted, driven)
    parted = driven.parted
    return _head(document, kafka, with_repair) | {
        "result": found,
        "why": why,
        "step": None if parted is None else parted.stage.first or None,
        "order": [numbers_of(plan)[broker] for broker in plan.order],
        "settings": _settings(plan.fitted),
        "clocks": _clocks(plan),
        "skipped": list(plan.fitted.skipped),
        "steps": [step_document(taken, _shown) for taken in driven.taken],
        "not_taken": [stage.first for stage in plan.stages[len(driven.taken) :]],
        "acknowledged": sorted(driven.acknowledged),
        "read": None if driven.read is None else list(driven.read),
        "leader": driven.leader,
        "seconds": round(driven.seconds, 1),
    }


def _lost(fitted: Fitted, driven: Driven) -> tuple[str, str]:
    """Whether what the trace says came about: a record that was acknowledged is gone."""
    if driven.parted is not None:
        return "not_confirmed", _otherwise(driven)
    if not fitted.lost:
        return "confirmed", f"every step came about: {fitted.seen}"
    if fitted.lost <= driven.lost:
        return "confirmed", f"acknowledged, and gone: {_records(driven.lost)}"
    return "not_confirmed", f"every step came about, but {_end(driven)}"


def _kept(fitted: Fitted, driven: Driven) -> tuple[str, str]:
    """Whether with the repair no record is lost, after all that the trace has under these settings came about, and
    each record was acknowledged that is so in the model, of which there is one at least."""
    if driven.lost:
        return "not_confirmed", f"acknowledged, and gone in spite of the repair: {_records(driven.lost)}"
    if driven.parted is not None:
        return "not_confirmed", _otherwise(driven)
    if driven.read is None:
        return "not_confirmed", "nothing can be read in the end"
    if missing := frozenset(fitted.run.states()[-1].acknowledged) - driven.acknowledged:
        return "not_confirmed", f"every step came about, but not acknowledged: {_records(missing)}"
    return "confirmed", f"acknowledged, and still there: {_records(driven.acknowledged)}"


def _otherwise(driven: Driven) -> str:
    """Where the brokers did otherwise, and what is there in the end; a step that was added for the repair has no
    number."""
    assert driven.parted is not None
    step = driven.parted.stage.first
    where = f"at step {step}" if step else "as the record was to be acknowledged, which the repair adds,"
    return f"{where} the brokers did otherwise; in the end {_end(driven)}"


def _end(driven: Driven) -> str:
    if driven.read is None:
        return "nothing can be read"
    if driven.lost:
        return f"{_records(driven.lost)}, acknowledged, is gone all the same"
    if not driven.acknowledged:
        return "no record was acknowledged"
    return f"{_records(driven.acknowledged)}, acknowledged, is still there"


def _records(records: frozenset[int]) -> str:
    return ("record " if len(records) == 1 else "records ") + ", ".join(map(str, sorted(records)))


def _not_driven(
    document: Mapping[str, Any], kafka: str | None, error: CannotBeDriven, with_repair: bool, plan: Plan | None = None
) -> Document:
    clocks = {} if plan is None else {"settings": _settings(plan.fitted), "clocks": _clocks(plan)}
    return not_driven(_head(document, kafka, with_repair), error) | clocks


def not_driven(head: Document, error: CannotBeDriven) -> Document:
    """What could not be driven, and why."""
    return head | {
        "result": "not_driven",
        "why": error.why,
        "step": error.step or None,
        "order": [],
        "settings": {},
        "clocks": {},
        "skipped": [],
        "steps": [],
        "not_taken": [],
        "acknowledged": [],
        "read": None,
        "leader": None,
        "seconds": 0.0,
    }


def _head(document: Mapping[str, Any], kafka: str | None, with_repair: bool) -> Document:
    about = document["property"]
    return {
        "schema": SCHEMA,
        "title": document["title"],
        "model": document["model"],
        "property": None if about is None else about["name"],
        "kafka": kafka,
        "repaired": with_repair,
    }


def _settings(fitted: Fitted) -> Document:
    values = {name: fitted.model.values[name] for name in SETTINGS}
    return {name: getattr(value, "value", value) for name, value in values.items()}


def _clocks(plan: Plan) -> Document:
    return {**CLOCKS, "broker.session.timeout.ms": plan.session, "replica.lag.time.max.ms": plan.lag}


def _shown(seen: Seen) -> Document:
    return {
        "leader": seen.leader,
        "leader_epoch": seen.leader_epoch,
        "isr": sorted(seen.isr),
        "elr": sorted(seen.elr),
        "fenced": sorted(seen.fenced),
        "logs": {str(one): [list(record) for record in log] for one, log in sorted(seen.logs.items())},
    }
