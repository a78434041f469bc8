"""What a repair must leave as it is: everyday events and requirements that go well before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..answers.answer import SubjectVerdict
from ..answers.client_losses import client_loss
from ..answers.requirements import RequirementCheck
from ..questions.questions import OF_TOPICS, QUESTION
from ..questions.signature import Signature
from ..questions.situations import BY_NAME, LOST, OF_RACKS, Name
from .changes import SettingChange

SERVICE, KEPT = ("writable", "readable"), ("no-loss", "no-unread")
CellQuestion = tuple[str, Name]
Asked = Sequence[tuple[Signature, Sequence[CellQuestion]]]
"""Signatures, each with the cells that must be without a loss once it is changed."""

_FAILOVER = ("leader-move", "restart", "crash")
EVERYDAY: Sequence[CellQuestion] = (
    *((question, f"{fault}@all") for question in SERVICE for fault in _FAILOVER),
    *((question, f"{fault}@all") for question in KEPT for fault in (*_FAILOVER, "cut-off", "power-loss", "disk-loss")),
)
"""Everyday events: what goes well in them goes well after a repair, too, whether or not anybody requires it."""


def apply_changes(signature: Signature, changes: Sequence[SettingChange]) -> Signature:
    """A signature with all of the changes made."""
    for change in changes:
        signature = change.change_signature(signature)
    return signature


def cells_to_keep_by_signature(
    subject: SubjectVerdict, checks: Sequence[RequirementCheck]
) -> Iterator[tuple[Signature, list[CellQuestion]]]:
    """Each signature, with what goes well with it of everyday events and of what is required, but for racks, in which
    new replicas may be anywhere. Where a fact is not stated, what goes well with one of its values is kept, too."""
    required = (
        (check.requirement.question, check.requirement.cell)
        for check in checks
        if BY_NAME[check.requirement.cell].fault.name not in OF_RACKS
    )
    cells = dict.fromkeys((*EVERYDAY, *(cell for cell in required if QUESTION[cell[0]] in OF_TOPICS)))
    for variant, table in zip(subject.subject.variants, subject.tables, strict=True):
        loses = client_loss(variant.signature) is not None
        kept = [cell for cell in cells if cell in table and table[cell].word == "no loss found"]
        yield variant.signature, [cell for cell in kept if not (loses and cell[0] == LOST)]
