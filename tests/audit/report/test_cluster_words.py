"""A run in the words of a cluster: titles, and what happens to its brokers and controllers."""

from __future__ import annotations

from dataclasses import replace

from tidegate.audit.answers.answer import Answer
from tidegate.audit.answers.scenario import has_only_request_faults
from tidegate.audit.answers.scenario import step_sentences as scenario_said
from tidegate.audit.exploring.case_results import ScenarioStep
from tidegate.audit.facts.facts import UsedSetting
from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.audit.report.cluster_words import scenario_title, step_in_cluster_words
from tidegate.audit.report.deciding_settings import NOT_GIVEN, PLACING, setting_text
from tidegate.language.judge import attempt, initial_states
from tidegate.language.steptext import parse_steps
from tidegate.language.values import State
from tidegate.language.verdict import Step


def test_a_setting_that_nobody_gave_is_not_called_given() -> None:
    """acks of unknown producers, and where nodes run, decide, and no file has them."""
    assert setting_text(UsedSetting("acks", NOT_GIVEN, None)) == "acks not given"
    assert (setting_text(PLACING), setting_text(UsedSetting("acks", "1", None))) == ("where the nodes run", "acks=1")
    title = scenario_title("orders", ["no-loss=restart@all"], [{"says": setting_text(PLACING), "where": None}])
    assert title == (
        "orders: an acknowledged record is lost when a broker is restarted in a controlled way, "
        "with all replicas in sync (because of where the nodes run)"
    )
    least = {
        "says": setting_text(UsedSetting("min.insync.replicas", "1", None)),
        "where": {"path": "a/t.txt", "line": 3},
    }
    both = [least, {"says": setting_text(PLACING), "where": None}]
    because = [scenario_title("orders", [f"no-loss={fault}@min-isr"], both, least_isr=1).partition("with the ")[2]
               for fault in ("power-loss", "disk-loss")]  # fmt: skip
    assert because == [
        "ISR at min.insync.replicas (1) (because of min.insync.replicas=1, t.txt:3)",
        "ISR at min.insync.replicas (1) (because of min.insync.replicas=1, t.txt:3; where the nodes run)",
    ]


def test_who_is_out_before_a_fault_and_which_controller_is_down_is_said() -> None:
    """Of a run about service; the same in a page, in the audit's list and in what `explore` shows."""
    settings = {"replicas": 3, "host_losses": 2, "controller_losses": 2, "voters": 3, "power_losses": 0}
    whole = audited_model_definition().bind("partition", settings, None)
    model = replace(whole, properties=tuple(prop for prop in whole.properties if prop.name == "writes_resume"))
    state = next(iter(initial_states(model)))
    called = {letter: f"broker {number}" for number, letter in enumerate("ABC", 7)}
    texts: list[str] = []
    for text in ("lose_host(B)", "lose_host(C)", "lose_controller", "lose_controller"):
        action, arguments = parse_steps(model, text)[0]
        after = attempt(model, state, action, arguments)
        assert isinstance(after, State)
        texts.append(step_in_cluster_words(model, state, Step(action.name, arguments, after), called, brokers_out=1))
        state = after
    assert texts == [
        "Broker 8 is unavailable already, before the fault.",
        "Broker 9 is unavailable while the fault lasts.",
        "A controller goes down: 1 of 3 is down now.",
        "A controller goes down: 2 of 3 are down now.",
    ]
    steps = [ScenarioStep(text, "", fault=True) for text in ("lose_host(B)", "lose_host(broker=C)")]
    assert scenario_said(steps, called, "writes_resume", 1) == texts[:2]


def test_the_title_of_a_page_fits_all_cells_that_share_it() -> None:
    shared_ = ["no-loss=power-loss@all", "no-loss=power-loss@one", "no-loss=two-power-losses@one"]
    lost = "orders: an acknowledged record is lost when a host loses power, with all replicas in sync or one replica"
    assert (
        scenario_title("orders", shared_, ()) == f"{lost} in sync; when two hosts lose power, with one replica in sync"
    )
    both = ["no-loss=crash@all", "no-unread=crash@all"]
    assert "is lost and a record that consumers have read is gone when a process dies" in scenario_title(
        "orders", both, ()
    )
    many = [f"no-loss={fault}@one" for fault in ("crash", "power-loss", "disk-loss", "two-crashes")]
    few = "when a process dies or a host loses power, with one replica in sync; and under 2 other faults"
    assert scenario_title("orders", many, ()).endswith(few)


def test_a_run_in_which_only_requests_fail_has_no_title_of_another_fault() -> None:
    steps = ("fail_to_produce", "produce(A)", "produce_again(leader=A, id=0)")
    answers = [
        Answer("can lose", steps=tuple(ScenarioStep(step, step, fault=False) for step in some))
        for some in (steps, (*steps, "elect_preferred(A)"))
    ]
    assert [has_only_request_faults(one) for one in answers] == [True, False]
    title = scenario_title("orders", ["no-duplicates=leader-move@all"], (), of_requests=True)
    assert "when requests fail or lose their answers, and nothing else goes wrong" in title
