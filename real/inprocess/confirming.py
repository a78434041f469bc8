"""A trace that Kafka's own code takes in one process: confirmed, not confirmed, or could not be driven."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from ..driving.controllers.driver import ControllersDriver
from ..driving.controllers.family import FAMILY as CONTROLLERS
from ..driving.controllers.plan import ControllersPlan
from ..driving.families import FAMILIES, trace_of
from ..driving.family import PlanRequest
from ..driving.fitting import UndrivableError
from ..driving.nodes.running import CountedPatience, NodesError
from ..driving.stages import Document
from ..driving.verdict import document_head, outcome_document, undriven_document
from . import voters
from .controllers import HostedControllers
from .hosting import Host
from .program import HostError, fetch_hosted_release

HOSTED_MODELS = frozenset({CONTROLLERS.model, voters.MODEL})
"""The models whose traces Kafka's code takes in one process."""
STEP_SECONDS = 0.5
"""How long what is to be seen after a step may take, by the number of looks: nothing here comes by itself."""


def confirmed_in_process(
    document: Mapping[str, Any],
    *,
    kafka: str | None = None,
    anyway: bool = False,
    report: Callable[[str], None] = lambda text: None,
) -> Document:
    """Drives Kafka's own classes through the trace of a document and says what came out. UsageError where there is no
    such release, or no JDK."""
    try:
        trace = trace_of(document, {*FAMILIES, voters.MODEL})
        if trace.model not in HOSTED_MODELS:
            raise UndrivableError(
                f"Kafka's code for traces of {trace.model} is not hosted in one process, and real brokers take it"
            )
        changes = trace.model == voters.MODEL
        plan = voters.plan_voters(trace, kafka) if changes else CONTROLLERS.plan(PlanRequest(trace, kafka, anyway))
    except UndrivableError as error:
        return document_head(document, kafka) | undriven_document(error)
    release = fetch_hosted_release(plan.kafka)
    report(f"hosting Kafka {release.version}")
    head, began = document_head(document, release.version), time.monotonic()
    try:
        with Host(release, brief=True) as host:
            driver = _driver_of(plan, host, changes)
            outcome = driver.outcome(lambda stage: report(f"step {stage.first}: {stage.action}"))
            return head | outcome_document(driver, CONTROLLERS.conditions(plan), outcome, time.monotonic() - began)
    except (NodesError, HostError) as error:
        return head | undriven_document(UndrivableError(str(error)))


def _driver_of(plan: ControllersPlan, host: Host, changes: bool) -> ControllersDriver:
    """What drives a plan; `changes`: voters change in it."""
    count = len(list(plan.run.start.log))
    if changes:
        return voters.VotersDriver(plan, voters.HostedVoters(host, count), STEP_SECONDS)
    driver = ControllersDriver(plan, HostedControllers(host, count), STEP_SECONDS)
    driver.patience = CountedPatience()
    return driver
