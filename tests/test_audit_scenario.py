"""What is said at the end of a run is true of that run."""

from __future__ import annotations

import pytest
from tidegate.audit.cases import ScenarioStep
from tidegate.audit.cluster import Origin, Topic
from tidegate.audit.questions import Case, loss_case
from tidegate.audit.scenario import STANDS_IN, sentences
from tidegate.audit.signature import Signature, Subject, Variant, switches
from tidegate.audit.situations import BY_NAME
from tidegate.audit.verdicts import Answer

SIGNATURE = Signature("kafka_3_9", switches("kafka_3_9", "kafka_3_9", kraft=True, elr=False), 3, 2, "all", False, False,
                      False, 1, voters=3, voters_in_rack=1)  # fmt: skip
SUBJECT = Subject((Topic("orders", Origin("topics.txt", 1)),), None, (Variant((), SIGNATURE),), ())


def end_of(*steps: tuple[str, str], case: Case | None = None, fault: str = "") -> str:
    made = tuple(ScenarioStep(step, says, False) for step, says in steps)
    return sentences(SUBJECT, Answer("can lose", "model", "", (), made, case, "acknowledged_kept"), fault)[-1]


@pytest.mark.parametrize(
    ("step", "says", "leader"),
    [
        ("produce_unheard(id=0)", "Record 0 is sent, and does not reach a leader.", ""),
        ("fence(broker=A, successor=B)", "The controller misses \u27e8A\u27e9, and fences it.", "broker B"),
        ("learn(broker=C)", "\u27e8C\u27e9 hears that \u27e8B\u27e9 leads epoch 2, {B} in sync.", "broker B"),
        ("elect_preferred(broker=C)", "The controller moves leadership to \u27e8C\u27e9.", "broker C"),
    ],
)
def test_another_broker_leads_only_if_one_was_elected(step: str, says: str, leader: str) -> None:
    expected = (
        f"Now {leader} leads, and a record" if leader else "Now a record that was acknowledged is not in the leader"
    )
    assert end_of((step, says)).startswith(expected)


def test_a_lost_disk_stands_for_a_loss_of_power() -> None:
    disk, power = (loss_case(SIGNATURE, BY_NAME[cell]) for cell in ("disk-loss@one", "power-loss@one"))
    assert end_of(case=disk, fault="power-loss@one").endswith(f"is not in the leader's log. {STANDS_IN}")
    assert STANDS_IN not in end_of(case=disk, fault="disk-loss@one") + end_of(case=power, fault="power-loss@one")
