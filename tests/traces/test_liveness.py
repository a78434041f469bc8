"""The document of a property of whole runs: where it fails, and the loop that can be gone round for ever."""

from __future__ import annotations

from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.language.verdict import PropertyVerdict
from tidegate.traces.liveness import liveness_parts

from ..support.traces import bind_model


def violated_claim() -> tuple[object, PropertyVerdict]:
    model = bind_model("examples/liveness/crossing.py")
    verdict = ENGINES["python"](model, Search(keep_going=True), None)
    return model, next(prop for prop in verdict.properties if prop.verdict == "violated")


def test_a_loop_is_told_with_the_truth_in_each_state() -> None:
    model, prop = violated_claim()
    assert prop.run is not None
    parts = liveness_parts(model, prop, prop.run)  # type: ignore[arg-type]
    truth = parts["truth"][prop.name]
    assert len(truth) == len(prop.run.states()) and set(truth) <= {"0", "1"}
    if prop.loop is not None:
        assert "1" not in truth[prop.loop :], "what is claimed is true nowhere in the loop"
    assert prop.name in parts["title"] and parts["property"]["kind"] == prop.kind
    assert parts["argument"] and all(row["text"] for row in parts["argument"])
