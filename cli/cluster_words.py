"""The words of a cluster for a run of an audit's model: what its brokers are called, and how what happens is said."""

from __future__ import annotations

from collections.abc import Mapping

from ..language.immutable import immutable
from ..language.model import Model
from ..language.values import State
from ..language.verdict import Run, Step
from ..reports.document import Document
from ..traces.neighbourhood import NeighbourhoodWords


@immutable
class ClusterWords:
    """What the model's brokers are `broker_names` in the cluster, and how many of them are out `hosts_out` the fault.

    What says it is loaded when it is needed: a trace of another model needs none of an audit."""

    broker_names: Mapping[str, str]
    hosts_out: int = 0

    @property
    def letters(self) -> str:
        """Which of the model's letters is which broker."""
        from ..audit.report.cluster_words import broker_letters_text

        return broker_letters_text(self.broker_names)

    def saved_document(self, document: Document) -> Document:
        """A run of the model as it is saved, with what its brokers are called in the cluster."""
        from ..audit.report.cluster_words import letters_note

        return document | {
            "called": dict(self.broker_names),
            "wording": {"before": self.hosts_out},
            "notes": [*document["notes"], letters_note(self.broker_names)],
        }

    def document_in_words(self, document: Document, model: Model, run: Run) -> Document:
        """The same as it is shown."""
        from ..audit.report.cluster_words import interactive_run_document

        return interactive_run_document(document, model, run, self.broker_names, self.hosts_out)

    def neighbourhood_words(self, model: Model, run: Run) -> NeighbourhoodWords:
        """What says the states around such a run."""
        from ..audit.report.cluster_words import ScenarioWords

        return ScenarioWords(model, run, self.broker_names, self.hosts_out)

    def value_in_words(self, text: str) -> str:
        """A value of the model, as text."""
        from ..audit.report.cluster_words import value_in_cluster_words

        return value_in_cluster_words(text, self.broker_names)

    def step_in_words(self, model: Model, state: State, step: Step) -> str:
        """The sentence of a step that can happen in a state."""
        from ..audit.report.cluster_words import step_in_cluster_words

        return step_in_cluster_words(model, state, step, self.broker_names, self.hosts_out)


def cluster_words(document: Document) -> ClusterWords | None:
    """The words of a saved trace, where an audit saved it."""
    if "called" not in document:
        return None
    return ClusterWords(document["called"], document.get("wording", {}).get("before", 0))
