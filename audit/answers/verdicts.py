"""From explorations to answers: a table, question by cell, for every subject, in four words.

*can lose* has a scenario that was replayed; *no loss found* has its bounds; *depends* says on which fact that is not
stated; *not checked* says why. What is arithmetic, and no question to the model, is marked as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...reports.audit.table import PROVED
from ..exploring.case_results import NO_TIME, CaseResult
from ..exploring.client_models import DUPLICATES, ORDER, Sender, result_of_lone_producer, send_under_another_leader
from ..exploring.explorations import Explorations
from ..exploring.inference import CaseKnowledge, LossFound, case_to_explore, knowledge_of, next_wave
from ..questions.case_order import CasePlan, Cases, is_case_within, most_informative_cases
from ..questions.cases import (
    case_plan_of_signature,
    cases_of_continued_service,
    cases_of_loss,
    delivery_case,
    is_delivery_explored,
    is_loss_explored,
    is_producer_retrying,
    loss_case,
    loss_cases,
    other_cases,
    service_cases,
    signature_to_ask_instead,
)
from ..questions.questions import (
    OF_DELIVERY,
    OF_TOPICS,
    QUESTION,
    SETTLES,
    WITNESS,
    Case,
    Question,
)
from ..questions.signature import Signature, Subject
from ..questions.situations import (
    CELLS,
    DIRECTORY,
    OF_CONTROLLERS,
    OF_RACKS,
    Cell,
    Name,
    controllers_lost,
    missing_replicas,
    modelled_voter_count,
    possible_placements,
    possible_rack_sizes,
    taken_at_hosts,
    takes_whole_machine,
)
from .answer import RACK, Answer, SubjectVerdict, Table, gravest_answer, merge_answers, unfinished_answer
from .theorems import is_proved

_CONSUMED = ("no-loss", "no-unread")


def check_subjects(subjects: Sequence[Subject], explorations: Explorations) -> list[SubjectVerdict]:
    """Every subject's answers. All explorations that they need run together."""
    signatures = dict.fromkeys(variant.signature for subject in subjects for variant in subject.variants)
    others = dict.fromkeys(case for signature in signatures for case in other_cases(signature))
    explorations.explore_ahead(
        others, (case for signature in signatures for case in case_plan_of_signature(signature).cases)
    )
    explore_losses(signatures, explorations)
    explorations.explore_all(others)
    explorations.explore_all([case for signature in signatures for case in _cases_of_lag(signature, explorations)])
    explorations.explore_all(
        dict.fromkeys(case for signature in signatures for case in _cases_beside_questions(signature, explorations))
    )
    tables = {signature: answers_of_signature(signature, explorations) for signature in signatures}
    return [
        _check_subject(subject, [tables[variant.signature] for variant in subject.variants]) for subject in subjects
    ]


def _cases_of_lag(signature: Signature, explorations: Explorations) -> Iterator[Case]:
    """Where writes or reads stop with the replicas that are out of the ISR down: what is if they only lag."""
    for down, *behind in service_cases(signature):
        if explorations.result_of(down).scenarios:
            yield from behind


def _cases_beside_questions(signature: Signature, explorations: Explorations) -> Iterator[Case]:
    """What is to be explored of a signature's cells beside their main questions."""
    for question in OF_TOPICS:
        asked = signature_to_ask_instead(question, signature)
        if question.kind != "loss" or explorations.is_late:
            continue
        for _, ways in loss_cases(asked):
            made = (case_to_explore(question, way, ways, case_plan_of_signature(asked), explorations) for way in ways)
            yield from (case for case in made if case is not None)


def _check_subject(subject: Subject, tables: Sequence[Table]) -> SubjectVerdict:
    cells: list[tuple[str, Name]] = [(question.name, cell.name) for question in OF_TOPICS for cell in CELLS]
    if not tables:
        nothing = Answer("not checked", "", subject.not_checked)
        never = Answer("can lose", "arithmetic", subject.not_checked) if subject.stops else nothing
        return SubjectVerdict(subject, (), {cell: never if cell[0] in subject.stops else nothing for cell in cells})
    table = {cell: merge_answers(subject.variants, [variant_table[cell] for variant_table in tables]) for cell in cells}
    if (
        subject.is_internal
    ):  # the leader appends them itself, and of what is committed again the last one of a key counts
        table |= {cell: Answer("not checked", "", "no producer sends it") for cell in cells if cell[0] in OF_DELIVERY}
    return SubjectVerdict(subject, tuple(tables), table)


# --- one signature ----------------------------------------------------------------------------------------------------


def answers_of_signature(signature: Signature, explorations: Explorations) -> Table:
    """A signature's answers."""
    return {
        (question.name, cell.name): answer_question(signature, question, cell, explorations)
        for question in OF_TOPICS
        for cell in CELLS
    }


def answer_question(signature: Signature, question: Question, cell: Cell, explorations: Explorations) -> Answer:
    """One question in one cell. What was said before is said again, until more is known."""
    return explorations.infer_from_known(
        _answer_from_explorations, signature_to_ask_instead(question, signature), question, cell
    )


def _answer_from_explorations(
    signature: Signature, question: Question, cell: Cell, explorations: Explorations
) -> Answer:
    if explorations.is_time_over:
        return unfinished_answer(NO_TIME)
    if question.kind == "delivery":
        return _delivery_answer_of_both_models(signature, question, cell, explorations)
    if question.kind == "goes_on":
        return _answer_over_racks(
            [
                gravest_answer(_service_answer(signature, question, cell, *place, explorations) for place in world)
                for world in possible_placements(cell.fault, signature)
            ]
        )
    racks = possible_rack_sizes(cell.fault, signature)
    found = _answer_over_racks([_loss_answer(signature, question, cell, in_rack, explorations) for in_rack in racks])
    kept = found.word == "no loss found" and question.name in _CONSUMED
    gone = _acks_with_metadata_loss(signature, cell) if kept else {False}
    if True not in gone:
        return found
    return (
        Answer("not checked", "", _METADATA_OF_RACK)
        if False not in gone
        else replace(found, word="depends", facts=(RACK,))
    )


_METADATA_OF_RACK = (
    "with the rack most controllers, or ZooKeeper servers, are gone with their disks, and so is the metadata of "
    "all topics, which is not modelled: have no majority of them in one rack"
)


def _acks_with_metadata_loss(signature: Signature, cell: Cell) -> set[bool]:
    """Whether a rack that is gone takes most controllers' disks, in each way in which they may stand."""
    if cell.fault.name != "rack-loss":
        return {False}
    voters = modelled_voter_count(signature)
    return {
        any(
            2 * (missing_replicas(cell.fault, signature, held) if signature.co_located else lost) > voters
            for held, lost in world
        )
        for world in possible_placements(cell.fault, signature)
    }


def _answer_over_racks(answers: Sequence[Answer]) -> Answer:
    """Where racks are not stated: one answer if it is the same with one replica in the rack and with all of them."""
    gravest = gravest_answer(answers)
    if len({found.word for found in answers}) == 1:
        return gravest
    return replace(gravest, word="depends", facts=(RACK,), hosts_out=0)


def _loss_answer(
    signature: Signature, question: Question, cell: Cell, rack_size: int | None, explorations: Explorations
) -> Answer:
    if question.kind == "reads" and not signature.follower_reads:
        return Answer("no loss found", "arithmetic", "without replica.selector.class consumers read from leaders alone")
    plan = case_plan_of_signature(signature)
    if plan.cases[0].explored_case not in explorations.known:
        explorations.explore_all(plan.cases[:1])  # without it nobody knows whether anything is ever acknowledged
    said: list[Answer] = []
    ways, few = cases_of_loss(signature, cell, rack_size), is_loss_explored(signature, cell, rack_size)
    for case in ways:
        said.append(_loss_answer_in_case(plan, question, case, ways, explorations, few=few))
        if said[-1].word == "can lose":
            return said[-1]
    worst = gravest_answer(said)
    doubt = _why_beyond_model(signature, cell) if worst.word == "no loss found" else ""
    if not doubt and worst.word == "no loss found" and signature.passing and cell.fault.name == "restart":
        doubt = _why_empty_disk_may_lose(signature, question, cell, explorations)
    return Answer("not checked", "", doubt) if doubt else worst


def _why_empty_disk_may_lose(signature: Signature, question: Question, cell: Cell, explorations: Explorations) -> str:
    """Why a restart of a host whose logs are not there any more afterwards may lose records; "" if it may not."""
    emptied = cases_of_loss(replace(signature, ephemeral=True, of_pod=False), cell)
    for case in emptied:
        found = _explore_case(question, case, emptied, case_plan_of_signature(signature), explorations)
        if _answer_from_knowledge(question, case, found).word != "no loss found":
            return (
                "the process comes back with its log; if its host is started again, too, the log may be gone, since "
                "log.dirs is in memory or in a temporary folder: put it on a disk of its own"
            )
    return ""


def _loss_answer_in_case(
    plan: CasePlan, question: Question, case: Case, ways: Cases, explorations: Explorations, *, few: bool
) -> Answer:
    """What one exploration says, or others say of it; it is made where neither is known, if it has `few` states."""
    if not few and case_to_explore(question, case, ways, plan, explorations) is not None:
        return Answer("not checked", "", _TOO_MANY_STATES.format(case.values["replicas"]))
    return _answer_from_knowledge(question, case, _explore_case(question, case, ways, plan, explorations))


def _explore_case(
    question: Question, case: Case, ways: Cases, plan: CasePlan, explorations: Explorations
) -> CaseKnowledge:
    """What is known of a case once what the question needs is explored."""
    open_ = case_to_explore(question, case, ways, plan, explorations)
    if open_ is not None:
        explorations.explore_all([open_])
    return knowledge_of(case, plan, explorations)


def _why_beyond_model(signature: Signature, cell: Cell) -> str:
    """Why no loss in the model is none in the cluster; "" where it is."""
    if cell.fault.name in _OF_DISKS and any(
        2 * voters > modelled_voter_count(signature) > 1 for _, voters in signature.hosts
    ):
        return (
            "the disk may be that of most controllers, or ZooKeeper servers, which share one host, with the metadata "
            "of all topics, which is not modelled: have a host for each"
        )
    if cell.fault.name in (*_OF_DISKS, "rack-loss") and signature.voters == 1:
        return (
            "the disk may be that of the only controller, or ZooKeeper server, with the metadata of all topics, which "
            "is not modelled: have three"
        )
    emptied = min(signature.empty_voters, _most_voters_stopped(signature, cell))
    if 2 * emptied > modelled_voter_count(signature):
        return (
            "most controllers, or ZooKeeper servers, may come back empty, since their storage does not last, and so "
            "without the metadata of all topics, which is not modelled: give them disks that last"
        )
    if 0 < signature.enough_emptied <= emptied:
        return (
            f"a controller, or ZooKeeper server, whose storage does not last {_VOTES_EMPTY}: give it a disk that lasts"
        )
    if cell.fault.name in _OF_DISKS and 0 < signature.enough_emptied <= signature.disk_voters:
        return ON_DISK_OF_CONTROLLER
    return ""


_OF_DISKS = ("disk-loss", DIRECTORY)
"""A controller's metadata is on a broker's disk, or in one of its directories, too, where both share a host."""

_VOTES_EMPTY = (
    "comes back empty, and votes; if another one lags then, committed metadata of all topics can be lost, which this "
    "model does not have (KAFKA-14077)"
)

ON_DISK_OF_CONTROLLER = (
    f"the disk may be that of a controller, or ZooKeeper server, too, which {_VOTES_EMPTY}: have these on hosts "
    "without brokers, or in KRaft a dynamic quorum (kraft.version=1)"
)
"""Why a lost disk that loses nothing by itself is not decided in combined mode."""

_STOPPING_NOBODY = ("leader-move", "cut-off", "rack-cut-off")
_OF_PROCESSES = ("crash", "two-crashes", "all-crashes")
_OF_HOSTS: Mapping[str, int] = {"power-loss": 1, "disk-loss": 1, "cut-off-power-loss": 1, "two-power-losses": 2}


def _most_voters_stopped(signature: Signature, cell: Cell) -> int:
    """How many controllers, or ZooKeeper servers, a fault may stop so that storage goes which does not last. In
    combined mode a broker that stops is one; a host may be that of a controller alone."""
    name = cell.fault.name
    if name in _STOPPING_NOBODY or (name in _OF_PROCESSES and (signature.of_pod or not signature.ephemeral)):
        return 0
    voters = modelled_voter_count(signature)
    beside = voters if signature.co_located else min(signature.shared_voters, voters)
    if name in OF_CONTROLLERS:
        return controllers_lost(cell.fault, signature)
    if name in OF_RACKS:
        return voters if signature.open_voters or not signature.voters_in_rack else signature.voters_in_rack
    if takes_whole_machine(cell.fault, signature):
        return voters
    at_hosts = (held for _, held in taken_at_hosts(cell.fault, signature))
    return max(_OF_HOSTS.get(name, 0), min(beside, missing_replicas(cell.fault, signature)), *at_hosts)


_TOO_MANY_STATES = "too many states with {} replicas, and no answer to fewer or to more faults decides it"


def _answer_from_knowledge(question: Question, case: Case, knowledge: CaseKnowledge) -> Answer:
    hit = [
        (name, knowledge.losses[name])
        for name in question.invariants_for(case.values["acks"])
        if name in knowledge.losses
    ]
    if hit:
        name, lost = min(hit, key=lambda named_loss: len(named_loss[1].steps))
        return Answer("can lose", "model", _loss_steps_text(case, lost), (), lost.steps, lost.case, name)
    if not set(question.properties) <= knowledge.held_properties:
        if knowledge.stop_reason:
            return unfinished_answer(knowledge.stop_reason)
        return Answer("not checked", "", "the exploration ended at the losses it had found")
    if not knowledge.is_reached:
        return Answer("not checked", "", "no record is ever acknowledged, so that none can be lost")
    bounds = bounds_text(knowledge.basis, knowledge.states)
    proved = is_proved(case, question.properties)
    extent = PROVED if proved else "within bounds"
    return Answer("no loss found", "model", f"{extent}; {bounds}", is_proved=proved)


def _loss_steps_text(case: Case, loss: LossFound) -> str:
    """How many steps a loss takes, and whether fewer faults than the cell has are enough for it."""
    return text_of_faults_needed(loss.case, len(loss.steps), fewer=loss.case != case)


def text_of_faults_needed(case: Case, steps: int, *, fewer: bool) -> str:
    """How many steps a loss takes, and its faults, if they are `fewer` than those of the cell."""
    return f"{steps} steps, and no more than {faults_text(case)}" if fewer else f"{steps} steps"


def bounds_text(case: Case, states: int) -> str:
    """Within which bounds nothing was found."""
    records = "1 record" if case.values["max_records"] == 1 else f"{case.values['max_records']} records"
    return f"{records}, {faults_text(case)}: {_states_text(states)}"


_FAULTS_OF_A_CASE = {
    "isr_shrinks": ("leaves the ISR", "leave the ISR"), "fences": ("is cut off", "are cut off"),
    "shutdowns": ("is shut down", "are shut down"), "crashes": ("crashes", "crash"),
    "power_losses": ("loses power", "lose power"), "disk_losses": ("loses a disk", "lose a disk"),
    "directory_losses": ("loses a directory", "lose a directory"),
    "host_losses": ("is lost", "are lost"), "controller_losses": ("controller goes down", "controllers go down"),
    "preferred_elections": ("becomes leader as preferred", "become leader as preferred"),
    "retries": ("request fails", "requests fail"),
}  # fmt: skip


def faults_text(case: Case) -> str:
    """The faults of a case in words."""
    values = case.values
    numbers = ((int(values.get(name, 0)), words) for name, words in _FAULTS_OF_A_CASE.items())
    faults = [f"{number} {one if number == 1 else several}" for number, (one, several) in numbers if number]
    return ", ".join(faults) or "no fault"


# --- duplicates and order ---------------------------------------------------------------------------------------------

_RACE = "KAFKA-15591"
_FIRST_REFUSED = (
    ": a new producer's first batch is refused for now, and a later one is appended, whose answer is lost "
    f"({_RACE}; 4.5 mends it for a partition that never had records); it does not happen with "
    "max.in.flight.requests.per.connection=1"
)
_GIVEN_UP = (
    "{} steps of the producer: it gives a record up when a connection is lost, and the request that was under way "
    "arrives after the next one (`{}`)"
)
_DELIVERED = "2 records, one of them given up, a lost connection, another leader: {}"


def _delivery_answer_of_both_models(
    signature: Signature, question: Question, cell: Cell, explorations: Explorations
) -> Answer:
    """What the partition's model finds of retries, and where it finds nothing, the producer's over a log of which the
    partition's model says what it loses. The producer's gives records up; the partition's has each replica."""
    if signature.acks == "all" and signature.least_isr > signature.replicas:
        return Answer("not checked", "", "no record is written with min.insync.replicas above the replicas")
    asked = [delivery_case(signature)] if is_producer_retrying(signature) else []
    calm = next((_delivery_answer(question, case, explorations) for case in asked), None)
    if calm is not None and calm.word != "no loss found":  # what needs no fault happens in every cell
        return replace(calm, why=f"{calm.why}{_FIRST_REFUSED}", race=_RACE) if _is_careful(signature) else calm
    name, sender = _OF_PRODUCERS[question.name], _sender_of_signature(signature)
    found = result_of_lone_producer(sender)
    if name in found.steps:
        why = _GIVEN_UP.format(found.steps[name], found.to_command(name))
        return Answer("can lose", "model", why, client=(name, found.settings))
    behind = _answer_under_another_leader(signature, name, cell, explorations)
    if calm is not None:
        if is_delivery_explored(signature, cell):
            return gravest_answer((_delivery_answer(question, delivery_case(signature, cell), explorations), behind))
        parts = _cells_within(signature, cell)
        worse = (_delivery_answer(question, delivery_case(signature, part), explorations) for part in parts)
        less = next((part for part in worse if part.word == "can lose"), None)
        if less is not None:
            return less
    return behind


_OF_PRODUCERS = {"no-duplicates": DUPLICATES, "in-order": ORDER}


def _sender_of_signature(signature: Signature) -> Sender:
    """The signature's producer."""
    bumps = signature.bumps_epoch or not _is_careful(signature)
    sends = signature.max_in_flight, signature.retries
    return Sender(signature.acks, _is_careful(signature), *sends, bumps_epoch=bumps)


def _answer_under_another_leader(signature: Signature, name: str, cell: Cell, explorations: Explorations) -> Answer:
    """What the producer's model says over a log that loses records if the cell does: of a log that may, first."""
    sender = _sender_of_signature(signature)
    losing = send_under_another_leader(sender, loses=True)
    if name not in losing.steps:
        return Answer("no loss found", "model", _DELIVERED.format(_states_text(losing.states)))
    kept = send_under_another_leader(sender, loses=False)
    lost = answer_question(signature, QUESTION["no-loss"], cell, explorations)
    found = losing if lost.word != "no loss found" and name not in kept.steps else kept
    if name in kept.steps or lost.word == "can lose":
        why = f"{found.steps[name]} steps of the producer behind another leader (`{found.to_command(name)}`)"
        return Answer("can lose", "model", why, client=(name, found.settings))
    return replace(lost, steps=(), case=None, property="")


def _is_careful(signature: Signature) -> bool:
    """Whether leaders look at the producer's sequences, so that only the first batch of a new producer goes wrong."""
    return signature.acks == "all" and signature.idempotent


def _cells_within(signature: Signature, cell: Cell) -> Iterator[Cell]:
    """The cells that retries are asked about and whose faults this one has too, and more."""
    whole = loss_case(signature, cell, None if signature.replicas_in_rack else 1)
    for part in CELLS:
        if is_delivery_explored(signature, part) and is_case_within(loss_case(signature, part), whole):
            yield part


def _delivery_answer(question: Question, case: Case, explorations: Explorations) -> Answer:
    found: CaseResult = explorations.result_of(case)
    names = [*question.properties]
    ways = {name: LossFound(case, found.scenarios[name]) for name in names if name in found.scenarios}
    own = CaseKnowledge(
        ways, found.held_invariants, WITNESS in found.reached_witnesses, True, found.stop_reason, case, found.states
    )
    return _answer_from_knowledge(question, case, own)


# --- whether writes and reads go on -----------------------------------------------------------------------------------


def _service_answer(
    signature: Signature,
    question: Question,
    cell: Cell,
    rack_size: int | None,
    controllers: int,
    explorations: Explorations,
) -> Answer:
    """While the fault lasts, with nothing repaired: the others of the ISR down, and where they only lag."""
    down, *behind = cases_of_continued_service(signature, cell, rack_size, controllers)
    found = explorations.result_of(down)
    name = next(iter(question.properties))
    lost = found.scenarios.get(name)
    missing = _missing_nodes_text(cell, signature, rack_size, down)
    if lost is None:
        if found.stop_reason or name not in found.held_invariants or SETTLES not in found.reached_witnesses:
            return unfinished_answer(found.stop_reason or "nothing ever comes to rest")
        return Answer("no loss found", "model", f"a leader serves {missing}: {_states_text(found.states)}")
    until = "until they are back"
    if any(name in explorations.result_of(case).held_invariants for case in behind):
        until = "while the others are down; where they only lag, once one has caught up it goes on"
    before = max(
        0, int(down.values["host_losses"]) - min(signature.replicas, missing_replicas(cell.fault, signature, rack_size))
    )
    return Answer("can lose", "model", f"{missing}, {until}", (), lost, down, name, hosts_out=before)


def _states_text(number: int) -> str:
    """`1 state`, `2,328 states`."""
    return "1 state" if number == 1 else f"{number:,} states"


def _missing_nodes_text(cell: Cell, signature: Signature, rack_size: int | None, case: Case) -> str:
    """How much is missing."""
    replicas = min(signature.replicas, missing_replicas(cell.fault, signature, rack_size))
    out = case.values
    controllers = f" and {out['controller_losses']} controllers" if out["controller_losses"] else ""
    gone = int(out["host_losses"]) + int(out["shutdowns"])
    others = f", {gone - replicas} of them before" if gone > replicas else ""
    return f"without {gone} of {signature.replicas} replicas{others}{controllers}"


# --- what came of what must hold --------------------------------------------------------------------------------------


def explore_losses(signatures: Iterable[Signature], explorations: Explorations) -> None:
    """Sees to it that everything is explored that decides the signatures' losses, and nothing that others decide; as
    much of it as there is time for."""
    asked = dict.fromkeys(
        signature_to_ask_instead(question, signature) for signature in signatures for question in OF_TOPICS
    )
    open_ = {case_plan_of_signature(signature): None for signature in asked if not explorations.is_late}
    while open_ and not explorations.is_late:
        waves = {plan: next_wave(plan, explorations) for plan in open_}
        open_ = {plan: None for plan, wave in waves.items() if wave}
        explorations.explore_all(most_informative_cases(case for wave in waves.values() for case in wave))
