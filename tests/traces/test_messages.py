"""The messages of a run, from sending to arrival."""

from __future__ import annotations

from tidegate.invariants.catalogue import find
from tidegate.language.judge import initial_states, run_text, steps
from tidegate.language.verdict import Run
from tidegate.traces.document import run_document

from .test_document import COURIER


def test_a_message_is_followed_from_sending_to_its_end() -> None:
    model = COURIER.bind()
    document = run_document(
        model, run_text(model, "wake({A, B}); write(A); write(B); lose(Letter(A, 0)); deliver(Letter(B, 1))")
    )
    shown = [
        (message["text"], message["to"], message["sent"], message["end"], message["ended"])
        for message in document["messages"]
    ]
    assert shown == [
        ("Letter(to=A, number=0)", "A", 2, "lost", 4),
        ("Letter(to=B, number=1)", "B", 3, "received", 5),
    ]
    assert document["messages"][1]["received"] == [{"step": 5, "lane": "B"}]
    events = [(step["i"], [message["event"] for message in step["messages"]]) for step in document["steps"]]
    assert events == [(1, []), (2, ["sent"]), (3, ["sent"]), (4, ["lost"]), (5, ["received"])]


def test_a_message_that_stays_is_received_again_and_a_copy_is_a_message_of_its_own() -> None:
    raft = find("raft")[0].bind("raft", {"messages": 3, "duplicates": 1, "max_term": 1})
    start = next(iter(initial_states(raft)))
    run = Run(start, ())
    for name in ("time_out", "send_vote_request", "duplicate"):
        state = run.states()[-1]
        run = Run(start, (*run.steps, next(step for step in steps(raft, state) if step.action == name)))
    sent, copy = run_document(raft, run)["messages"]
    assert (sent["name"], sent["source"], sent["copy"], copy["copy"], copy["sent"]) == (
        "vote request",
        "A",
        False,
        True,
        3,
    )
