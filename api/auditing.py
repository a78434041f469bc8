"""`audit`: what a cluster's configuration can lose."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..audit.answers.requirements import DEFAULT, Requirement, UnknownRequirementError, parse_requirement
from ..audit.auditing import AuditOutcome, AuditRequest, read_cluster
from ..audit.auditing import audit as audit_cluster
from ..audit.cluster.statements import UnreadableInputError, WrongOptionError
from ..audit.exploring.small_models import results_kept_in
from ..audit.joining.options import Options
from ..explorer.cache import cache_directory
from ..language.errors import UnreadableError, UsageError
from ..language.immutable import immutable
from ..reports.audit.overview import audit_overview
from ..reports.audit.table import table_heading, table_rows
from ..reports.audit.terminal import audit_page, audit_verdict_line
from ..reports.document import Document
from ..reports.exits import Exit
from . import arguments
from .results import NOTEBOOK_FORMAT, folded_html, preformatted_html, table_html


@immutable
class AuditResult:
    """What an audit came to. `outcome` has everything; the rest is there for convenience."""

    outcome: AuditOutcome

    @property
    def exit(self) -> Exit:
        """What `tidegate audit` would end with."""
        return Exit(self.outcome.exit)

    @property
    def met(self) -> bool:
        """Whether everything required holds: what is not decided is not met."""
        return self.exit is Exit.HOLDS

    @property
    def headlines(self) -> Mapping[str, str]:
        """What is said of each group of topics, by its name."""
        return {subject["name"]: subject["headline"] for subject in self.document()["subjects"]}

    def document(self) -> Document:
        """The result as `tidegate audit --json` prints it."""
        return self.outcome.document

    def __repr__(self) -> str:
        """One line, for a prompt; `print` shows the first screen."""
        return f"<AuditResult: {self.document()['headline']}>"

    def __str__(self) -> str:
        return audit_overview(self.document(), NOTEBOOK_FORMAT).text()

    def _repr_html_(self) -> str:
        """The verdict, each group of topics with its table, and the whole report to unfold."""
        document = self.document()
        shown = [preformatted_html(audit_verdict_line(document))]
        for subject in document["subjects"]:
            shown.append(preformatted_html(f"{subject['name']}: {subject['headline']}"))
            shown.append(table_html(list(table_rows(subject, document)), table_heading(subject, document)))
        return "".join(shown) + folded_html(
            "The whole report", preformatted_html(audit_page(self.document(), NOTEBOOK_FORMAT).text())
        )


def audit(
    *files: str | Path,
    require: str | Iterable[str] = (),
    kafka_version: str | None = None,
    distribution: str | None = None,
    acks: str | None = None,
    clients: str | Iterable[str] = (),
    time: float | None = 120.0,
    workers: int = 1,
    cache: bool = True,
    facts: Options | None = None,
) -> AuditResult:
    """Audits files and directories of configuration: `audit("server.properties", kafka_version="3.9").headlines`.

    `require` has what `--require` takes, by default the preset `standard`. `acks` is of producers that are not named;
    `clients` are "java:3.9" or "FILE=java:3.9". Where several may be given, one text may stand alone. `time` is in
    seconds. `workers` explore at once; two or more are processes, so that a script that asks for them calls this under
    `if __name__ == "__main__":`. `facts` has all of these and the rest of what files may leave open, and replaces them.
    Raises UsageError for an argument that is not as said here, and UnreadableError for what cannot be read.
    """
    arguments.check_seconds("time", time)
    arguments.check_whole_number("workers", workers, 1)
    stated = facts or Options(
        kafka_version=arguments.check_text("kafka_version", kafka_version),
        distribution=arguments.check_text("distribution", distribution),
        acks=arguments.check_text("acks", acks, ("all", "1", "0")),
        clients=arguments.check_names("clients", clients),
    )
    folder = cache_directory() if cache else None
    try:
        with results_kept_in(folder):
            cluster, findings = read_cluster([Path(arguments.check_path("files", file)) for file in files], stated)
    except WrongOptionError as error:
        raise UsageError(str(error)) from None
    except UnreadableInputError as error:
        raise UnreadableError(str(error)) from None
    asked = AuditRequest(
        requirements=parse_requirements(require),
        folder=folder,
        seconds=time,
        workers=workers,
        today=datetime.date.today(),
    )
    return AuditResult(audit_cluster(cluster, findings, asked))


def parse_requirements(texts: Iterable[str]) -> tuple[Requirement, ...]:
    """What `--require` asks; the default for nothing. UsageError for what is no preset, question, fault or
    situation."""
    given = arguments.check_names("require", texts)
    try:
        return tuple(requirement for text in given for requirement in parse_requirement(text)) or tuple(DEFAULT)
    except UnknownRequirementError as error:
        raise UsageError(f"--require {' '.join(given)}: {error}") from None
