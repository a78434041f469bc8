"""What is reported of one subject: a value, which the document is written from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...language.immutable import immutable
from ..answers.answer import Answer, SubjectVerdict
from ..answers.outages import Outage
from ..answers.requirements import RequirementCheck
from ..questions.situations import Name
from ..repairs.changes import SettingChange


@immutable
class SubjectReport:
    """One audited subject: its answers, what came of the requirements, its repair, its present state and what of it is
    out of service now; `no_repair` says why there is none where something fails, and was looked for. `loss` is the loss
    to report: its cell, its question, the answer in the table, and the same with the run that is shown. `changes` are
    what the repair is made of."""

    verdict: SubjectVerdict
    checks: Sequence[RequirementCheck]
    repair: dict[str, Any] | None = None
    now: dict[str, Any] | None = None
    outages: Sequence[Outage] = ()
    no_repair: str = ""
    loss: tuple[Name, str, Answer, Answer] | None = None
    changes: Sequence[SettingChange] = ()
