"""What a producer takes for acknowledged though it is not there, whatever the log keeps: asked of the model `producer`.

An idempotent Java producer of 2.1 to 2.4 gives a record up when its `delivery.timeout.ms` is over while its connection
is lost, and gives its sequence to the next record. If the first was written, the leader takes the second for a
duplicate, and answers that it is there (KIP-360). No fault of a broker is needed, so that it happens in every cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..exploring.explorations import Explorations
from ..questions.questions import Question
from ..questions.signature import Signature
from ..questions.situations import CELLS, Cell
from .answer import Answer, SubjectVerdict, merge_answers
from .client_losses import NO_LOSS, client_loss
from .verdicts import answer_question


def answer_of_log_and_client(
    signature: Signature, question: Question, cell: Cell, explorations: Explorations
) -> Answer:
    """One question in one cell, of the log and of who writes it."""
    of_log = answer_question(signature, question, cell, explorations)
    return graver_answer(of_log, client_loss(signature) if question.name == NO_LOSS else None)


def graver_answer(of_log: Answer, of_client: Answer | None) -> Answer:
    """What is said of both: a loss of the log comes first."""
    return of_log if of_client is None or of_log.word == "can lose" else of_client


def add_client_losses(every: Sequence[SubjectVerdict]) -> list[SubjectVerdict]:
    """Each subject, a cell that loses nothing by its log having what its producer loses. What the tables of its
    variants say is said of their logs, on which other rows stand: nothing is cut off there."""
    return [_add_client_loss(subject) for subject in every]


def _add_client_loss(subject: SubjectVerdict) -> SubjectVerdict:
    """Where a fact decides whether its producer loses, a cell depends on that fact."""
    variants = subject.subject.variants
    of_clients = [client_loss(one.signature) for one in variants]
    losing = next((found for found in of_clients if found is not None), None)
    if losing is None:
        return subject
    cells = [(NO_LOSS, cell.name) for cell in CELLS if subject.table[NO_LOSS, cell.name].word != "can lose"]
    lost: dict[tuple[str, str], Answer] = {}
    for key in cells:
        every = [
            graver_answer(table[key], of_client) for table, of_client in zip(subject.tables, of_clients, strict=True)
        ]
        lost[key] = losing if all(of_clients) else merge_answers(variants, every)
    return replace(subject, table={**subject.table, **lost})
