"""A table in one sentence for operators: what a group of topics survives, what loses acknowledged records first.

The gravest loss is the likeliest: one fault before two, all in sync before a smaller ISR, and records that are gone
before reads that are taken back.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.answer import Table
from ..answers.client_losses import client_loss
from ..questions.signature import Signature
from ..questions.situations import (
    CELLS,
    FAULTS,
    GRAVEST,
    LOST,
    SITUATIONS,
    UNREAD,
    Cell,
    Name,
    Situation,
    replicas_in_sync,
)
from .word_lists import list_with_or

_SURVIVED = (
    ("crash", "crash"),
    ("cut-off", "cut-off broker"),
    ("power-loss", "power loss"),
    ("disk-loss", "lost disk"),
)
_OF_RACKS = ("rack-power-loss", "rack-loss", "rack-cut-off")
FALSELY_ACKNOWLEDGED = (
    "a Java producer of 2.1 to 2.4 can have a record acknowledged that is not there, after no more than a lost "
    "connection, once delivery.timeout.ms of the record before is over; apart from that, "
)
"""What is lost by the client alone (`acknowledging`)."""
UNHEARD = (
    "with acks=0 the producer is not informed of failures: a request that does not arrive, or that a broker refuses, "
    "for example because the leader has moved, loses its records though no broker fails"
)
"""What loses first with acks=0 is no fault (`situations.fault_budgets_of_cell` cites the client and the broker)."""


def first_loss(table: Table) -> tuple[str, Cell] | None:
    """The question and the cell of the loss to report first; None where nothing is lost."""
    for question in (LOST, UNREAD):
        for cell in GRAVEST:
            if table[question, cell.name].word == "can lose":
                return question, cell
    return None


def table_headline(signature: Signature, table: Table, *, short: bool = False) -> str:
    """What a signature survives, whether writes stop, and what loses first; `short`: nothing of what it survives. What
    the producer loses by itself comes first."""
    of_log = _log_headline(signature, table, short=short)
    return of_log if client_loss(signature) is None else f"{FALSELY_ACKNOWLEDGED}{of_log}"


def _log_headline(signature: Signature, table: Table, *, short: bool) -> str:
    if signature.acks == "all" and signature.least_isr > signature.replicas:
        many = "its only replica" if signature.replicas == 1 else f"its {signature.replicas} replicas"
        least = f"min.insync.replicas={signature.min_isr} is above {many}"
        return f"every write with acks=all is refused, though nothing is wrong: {least}"
    survived = "" if short else _survived_faults_text(signature, table)
    first = [part for part in (_stopped_writes_text(table), survived, _undecided_faults(table)) if part]
    return "; ".join([*first, *_first_loss_texts(signature, table)])


def _first_loss_texts(signature: Signature, table: Table) -> list[str]:
    """What loses first, or that nothing was found."""
    loss = first_loss(table)
    if loss is None:
        return [_no_loss_text(table)]
    question, cell = loss
    parts = [_loss_verb_phrase(signature, question, cell)]
    if cell.name != "rack-power-loss@all" and cell.situation.name != "all":
        parts += [f"{_fault_phrase(rack)} can, with all in sync" for rack in _losing_rack_faults(table)[:1]]
    if question == LOST:
        parts += [_loss_verb_phrase(signature, UNREAD, unread) for unread in _unread_cells_before_loss(table)]
    return [*parts, *_undecided_likelier_faults(table, cell)]


def _unread_cells_before_loss(table: Table) -> list[Cell]:
    """The first cell with one fault and all in sync that takes back what was read and loses nothing acknowledged."""
    cells = (cell for cell in GRAVEST if cell.fault.single and cell.situation.name == "all")
    return [
        cell for cell in cells if table[UNREAD, cell.name].word == "can lose" and _is_without_loss(table, cell.name)
    ][:1]


def _losing_rack_faults(table: Table) -> list[str]:
    return [name for name in _OF_RACKS if table[LOST, f"{name}@all"].word == "can lose"]


def _fault_phrase(fault: str) -> str:
    return next(known.phrase for known in FAULTS if known.name == fault)


def _stopped_writes_text(table: Table) -> str:
    """Whether writes stop with nothing wrong, or with one broker down."""
    for cell, when in (("leader-move@all", "though nothing is wrong"), ("crash@all", "while one broker is down")):
        if table["writable", cell].word == "can lose":
            reads = " and reads" if table["readable", cell].word == "can lose" else ""
            return f"writes{reads} stop {when}"
    return ""


def _survived_faults_text(signature: Signature, table: Table) -> str:
    """Which single faults lose nothing, and down to which ISR; of those that are not decided with fewer in sync, apart
    from the others, so that these are not said to survive less than they do."""
    kept = [(name, noun) for name, noun in _SURVIVED if _is_without_loss(table, f"{name}@all")]
    if not kept:
        return ""
    known = [one for one in kept if not any(_is_open(table, one[0], where) for where in SITUATIONS)] or kept
    deep = _smallest_safe_isr(table, known)
    alike = [one for one in kept if one in known or _smallest_safe_isr(table, [one]) == deep]
    rest = [one for one in kept if one not in alike]
    survived = list_with_or([noun for _, noun in alike])
    said = f"acknowledged records survive any one {survived}{_smallest_isr_text(signature, deep)}"
    if not rest:
        return said
    less = _smallest_isr_text(signature, _smallest_safe_isr(table, rest))
    fewer = f"any one {list_with_or([noun for _, noun in rest])}{less}"
    return f"{said}, and {fewer} (with fewer that is not decided)"


def _smallest_safe_isr(table: Table, faults: Sequence[tuple[str, str]]) -> str:
    """The smallest ISR with which none of these faults loses a record."""
    deep = [where for where in SITUATIONS if all(_is_without_loss(table, f"{name}@{where.name}") for name, _ in faults)]
    return deep[-1].name


def _is_open(table: Table, fault: str, where: Situation) -> bool:
    return table[LOST, f"{fault}@{where.name}"].word == "not checked"


def _undecided_faults(table: Table) -> str:
    """Which single faults may lose records with all in sync, since that was not decided."""
    open_ = [noun for name, noun in _SURVIVED if _is_open(table, name, SITUATIONS[0])]
    return (
        f"whether acknowledged records survive any one {list_with_or(open_)} is not decided"
        if 0 < len(open_) < len(_SURVIVED)
        else ""
    )


def _undecided_likelier_faults(table: Table, cell: Cell) -> list[str]:
    """Which faults that would be reported before a loss, did they lose, were not decided, and why; none that is
    named."""
    named = {
        name for name, noun in _SURVIVED if noun in _undecided_faults(table) and _is_open(table, name, SITUATIONS[0])
    }
    before = GRAVEST[: GRAVEST.index(cell)]
    open_ = [one for one in before if one.fault.name not in named and table[LOST, one.name].word == "not checked"]
    if not open_:
        return []
    faults = list(dict.fromkeys(one.fault.phrase for one in open_))
    more = f" and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
    why = table[LOST, open_[0].name].why.partition(";")[0]
    because = f" ({why})" if why else ""
    return [f"whether {list_with_or(faults[:_MOST_FAULTS])}{more} can is not decided{because}"]


_MOST_FAULTS = 3


def _is_without_loss(table: Table, cell: Name) -> bool:
    return table[LOST, cell].word == "no loss found"


def _smallest_isr_text(signature: Signature, situation: str) -> str:
    if signature.replicas == 1:
        return ""
    if situation == "one":
        return ", however small the ISR is"
    least = replicas_in_sync(next(known for known in SITUATIONS if known.name == situation), signature)
    if situation == "all" or least == signature.replicas:
        return " while all replicas are in sync"
    return f" while at least min.insync.replicas ({least}) are in sync"


def _loss_verb_phrase(signature: Signature, question: str, cell: Cell) -> str:
    if signature.acks == "none" and question == LOST:
        return UNHEARD
    what = "can lose acknowledged records" if question == LOST else "can take back what consumers have read"
    said = f"{cell.fault.phrase} {what}"
    if cell.fault.name == "leader-move":
        said += ", though no broker fails"
    return f"{_situation_text(signature, cell)}{said}"


def _situation_text(signature: Signature, cell: Cell) -> str:
    """In which situation, if not with all in sync."""
    least = replicas_in_sync(cell.situation, signature)
    if least == signature.replicas:
        return ""
    if least == 1 and signature.least_isr <= 1 and signature.acks == "all":
        return "with the ISR at 1, which min.insync.replicas=1 allows to be written to, "
    if least == 1:
        return "with one replica left in sync, "
    return f"with the ISR at min.insync.replicas ({least}), "


def _no_loss_text(table: Table) -> str:
    words = [table[LOST, cell.name].word for cell in CELLS]
    found, open_ = words.count("no loss found"), len(words) - words.count("no loss found")
    if not found:
        return "nothing was decided"
    if open_:
        return f"no loss found in {found} of {len(words)} cells; {open_} are not decided"
    return "no loss found, whatever of the table goes wrong"
