"""The words of a cluster for a trace that an audit saved: brokers have names, and commands the model's letters."""

from __future__ import annotations

from tidegate.cli.cluster_words import ClusterWords, cluster_words
from tidegate.language.judge import initial_states, replay
from tidegate.language.steptext import parse_steps
from tidegate.traces.document import run_document

from ..support.traces import bind_model

NAMES = {"A": "broker 7", "B": "broker 8", "C": "broker 9"}


def test_a_trace_of_another_model_has_none() -> None:
    assert cluster_words({"steps": []}) is None
    found = cluster_words({"called": NAMES, "wording": {"before": 2}})
    assert found == ClusterWords(NAMES, 2)
    assert cluster_words({"called": NAMES}) == ClusterWords(NAMES, 0)


def test_which_letter_is_which_broker_is_said() -> None:
    assert ClusterWords(NAMES).letters == "A is broker 7, B is broker 8, C is broker 9"


def test_what_is_saved_keeps_the_models_letters_and_says_whose_they_are() -> None:
    saved = ClusterWords(NAMES, 1).saved_document({"notes": ["one"], "steps": []})
    assert (saved["called"], saved["wording"]) == (NAMES, {"before": 1})
    assert saved["notes"][0] == "one" and "A is broker 7" in saved["notes"][1]
    assert cluster_words(saved) == ClusterWords(NAMES, 1)


def test_values_steps_and_documents_speak_of_brokers() -> None:
    words = ClusterWords(NAMES)
    model = bind_model("partition", ("acknowledged_kept",), power_losses=1)
    run = replay(model, next(initial_states(model)), parse_steps(model, "produce(A); lose_power(broker=A, kept=0)"))
    assert "broker 8" in words.value_in_words("B") and "B" not in words.value_in_words("B").replace("broker", "")
    said = words.step_in_words(model, run.states()[1], run.steps[1])
    assert said.startswith("Broker 7's host loses power")
    shown = words.document_in_words(words.saved_document(run_document(model, run)), model, run)
    assert shown["steps"][1]["sentence"] == said
    assert set(shown["view"]["lanes"]) >= set(NAMES.values())
    assert words.neighbourhood_words(model, run).name_brokers(["A", "C"]) == ["broker 7", "broker 9"]
