"""A scenario in the words of whoever runs the cluster: what is lost, under which fault, by which setting.

The trace of a run is the model's; its page for an operator says the same without the model's names. Its title, its one
sentence and its argument are made of what happened in the run; what changed is said in words (`words`); what else could
happen is said in the steps' own sentences. The trace beside the page stays as `replay` takes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...language.immutable import immutable
from ...language.judge import steps as steps_of
from ...language.kinds import Domain
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run, Step
from ...traces.differences import state_changes
from ...traces.document import change_texts
from ...traces.sentences import capitalize_first
from ...traces.wording import RecordNames
from ..answers.scenario import (
    ENDS,
    SERVICE,
    name_brokers_in_sentence,
    rename_brokers,
    rename_brokers_in,
    replace_broker_letters,
    unavailable_broker_sentence,
)
from ..exploring.step_sentences import step_sentence
from ..questions.situations import BY_NAME
from .deciding_settings import PLACING, setting_text
from .model_words import (
    change_in_words,
    frame_in_words,
    name_records,
    records_of_several_epochs,
    rename_records,
    value_in_words,
)

Document = dict[str, Any]

LOST: Mapping[str, str] = {
    "no-loss": "an acknowledged record is lost",
    "no-unread": "a record that consumers have read is gone",
    "no-divergence": "logs differ below the high watermark",
    "no-stale-reads": "followers serve consumers wrongly",
    "writable": "writes stop",
    "readable": "reads stop",
    "no-duplicates": "a record is written twice",
    "in-order": "records change their order",
    "groups": "consumer groups neither commit nor rebalance",
    "no-skips": "consumers skip records",
}
"""What happens where a question is answered with a loss."""

PROMISED: Mapping[str, str] = {
    "acknowledged_kept": "acknowledged records are kept by the leader",
    "acked_durable": "acknowledged records are on some broker",
    "consistent_read": "records that were read are kept",
    "reads_below_high_watermark": "only committed records are read",
    "committed_log_matching": "logs agree below the high watermark",
    "preferred_replica_complete": "consumers are sent to followers that have the records",
    "read_durable": "records that were read are on some broker",
    "record_is_acknowledged": "a record is acknowledged",
    "settles": "the cluster comes to rest",
    "writes_resume": "writes go on",
    "reads_resume": "reads go on",
    "no_duplicate": "no record is written twice",
    "producer_order": "records stay in order",
}
"""The properties of a scenario in words."""

_FAULTS: Mapping[str, str] = {
    "lose_power": "lost power{}",
    "lose_disk": "lost its disk",
    "lose_directory": "lost a directory",
    "lose_host": "was lost for good, with its disk",
    "crash": "crashed",
    "shutdown": "was shut down",
    "fence": "was cut off",
}
"""What happened to a broker, by the action that it happens in."""


PLACED = frozenset({
    "disk-loss", "directory-loss", "rack-power-loss", "rack-cut-off", "rack-loss", "controller-loss",
    "controllers-loss",
})  # fmt: skip
"""The faults for which it makes a difference where nodes run: to other faults other settings are to blame."""


def scenario_title(
    name: str,
    cells: Sequence[str],
    deciding_settings: Sequence[Mapping[str, Any]],
    *,
    least_isr: int | None = None,
    of_requests: bool = False,
) -> str:
    """`orders: an acknowledged record is lost when a host loses power, with one replica in sync (because of acks=1,
    producer.properties:1)`. `cells` are all that show the run, as `no-loss=power-loss@one`: the title fits each of
    them. `least_isr` is the topic's min.insync.replicas, where it is known. A run `of_requests` has no other fault than
    theirs, whatever its cells are about. Where the nodes run decides what becomes of a broker whose host or disk is
    lost, and of nothing else."""
    asked: dict[tuple[str, ...], list[str]] = {}
    for question in dict.fromkeys(cell.partition("=")[0] for cell in cells):
        own = tuple(cell.partition("=")[2] for cell in cells if cell.startswith(f"{question}="))
        asked.setdefault(own, []).append(LOST[question])
    lost = [
        f"{' and '.join(what)} {_when_clause(own, least_isr, of_requests=of_requests)}" for own, what in asked.items()
    ]
    placed = any(BY_NAME[cell.partition("=")[2]].fault.name in PLACED for cell in cells) or len(deciding_settings) == 1
    by = "; ".join(
        f"{one['says']}{_finding_place_text(one)}"
        for one in deciding_settings
        if placed or one["says"] != setting_text(PLACING)
    )
    return f"{name}: {'; '.join(lost)}{f' (because of {by})' if by else ''}"


_MOST_NAMED = 3
"""Faults that a title names; of more it counts the rest."""


def _when_clause(cells: Sequence[str], least_isr: int | None, *, of_requests: bool) -> str:
    """When it happens: `when a host loses power, with one replica in sync`, and the same of every other cell."""
    least = f" ({least_isr})" if least_isr else ""
    worded = {"all": "all replicas in sync", "min-isr": f"the ISR at min.insync.replicas{least}",
              "one": "one replica in sync"}  # fmt: skip
    stands: dict[str, list[str]] = {}
    for cell in cells:
        at = BY_NAME[cell]
        when = "requests fail or lose their answers, and nothing else goes wrong" if of_requests else at.fault.when
        stands.setdefault(when, []).append(worded[at.situation.name])
    faults: dict[tuple[str, ...], list[str]] = {}
    for when, wheres in stands.items():
        faults.setdefault(tuple(dict.fromkeys(wheres)), []).append(when)
    shown = [(when, wheres) for wheres, whens in faults.items() for when in whens]
    kept = shown if len(shown) <= _MOST_NAMED else shown[: _MOST_NAMED - 1]
    texts = [
        f"when {' or '.join(when for when, where in kept if where == wheres)}, with {' or '.join(wheres)}"
        for wheres in dict.fromkeys(where for _, where in kept)
    ]
    more = len(shown) - len(kept)
    return "; ".join([*texts, *([f"and under {more} other faults"] if more else [])])


def trace_in_cluster_words(trace: Mapping[str, Any], model: Model, run: Run) -> Document:
    """An audit's trace, as it is saved, in the words of its page. `run` is its run, of its model."""
    called, wording = trace["called"], trace["wording"]
    letters = broker_letters_text(called)
    own = {**trace, "notes": [note for note in trace["notes"] if note != letters_note(called)]}
    del own["wording"]
    one = ClusterRun(model, run, trace["property"]["name"], called, wording.get("before", 0))
    shown = one.page_document(rename_brokers(own, called), trace["title"], wording["verdict"], letters)
    for step, says in zip(shown["steps"], wording["sentences"], strict=False):
        step["sentence"] = says
    return shown


def interactive_run_document(
    trace: Mapping[str, Any], model: Model, run: Run, broker_names: Mapping[str, str], brokers_out: int = 0
) -> Document:
    """The document of a run that somebody explores, in the words of the cluster: `broker_names` are its brokers, of
    which in a run about service `brokers_out` are out before the fault."""
    told = ClusterRun(model, run, _asked_service_property(model), broker_names, brokers_out)
    about = {
        "title": "A run of the cluster",
        "letters": broker_letters_text(broker_names),
        "properties": _property_titles(trace),
    }
    own = {key: part for key, part in trace.items() if key != "wording"}
    own["notes"] = [note for note in trace["notes"] if note != letters_note(broker_names)]
    return told.trace_in_words(rename_brokers(own, broker_names)) | {
        "disabled": told.could_happen(),
        "cluster": about | {"before": brokers_out},
    }


class ScenarioWords:
    """The states around a run, for `traces/neighbourhood.py`, as its page says them: brokers with their names in the
    cluster, steps in sentences, records by their numbers, those that the run has in several epochs with their epoch."""

    def __init__(
        self, model: Model, run: Run, broker_names: Mapping[str, str], brokers_out: int = 0, broken: str = ""
    ) -> None:
        brokers = next(domain.size for domain in model.domains if domain.name == "Broker")
        every = {letter: broker_names.get(letter, f"broker {letter}") for letter in "ABCDE"[:brokers]}
        self.told = ClusterRun(model, run, broken or _asked_service_property(model), every, brokers_out)
        names = RecordNames(model)
        states = run.states()
        pairs = zip(states, run.steps, strict=False)
        texts = (
            change_texts(state_changes(model.fields, was, step.state_after), was, step.state_after, names)
            for was, step in pairs
        )
        self.doubled = records_of_several_epochs(list(texts))

    def name_brokers(self, value: Any) -> Any:
        """A state, or another value of JSON, with the brokers' names."""
        return rename_brokers_in(value, self.told.broker_names)

    def frame_in_words(self, frame: Document) -> Document:
        """What is drawn of a state."""
        return frame_in_words(rename_brokers_in(frame, self.told.broker_names) | {"marks": {}})

    def step_in_words(self, document: Document, state: State, step: Step) -> Document:
        """A step from a state."""
        shown: Document = rename_brokers_in(document, self.told.broker_names)
        changed = [change_in_words(change) for change in shown["changed"]]
        return shown | {
            "sentence": self.told.sentence_of(state, step.action, step.arguments),
            "changed": name_records(changed, self.doubled | records_of_several_epochs(changed)),
        }

    def value_in_words(self, text: str) -> str:
        """A value that is watched."""
        return value_in_cluster_words(text, self.told.broker_names)


def value_in_cluster_words(text: str, broker_names: Mapping[str, str]) -> str:
    """A value of the model, as text, in the words of the cluster."""
    return value_in_words(replace_broker_letters(text, broker_names))


def step_in_cluster_words(
    model: Model, state: State, step: Step, broker_names: Mapping[str, str], brokers_out: int = 0
) -> str:
    """The sentence of a step that can happen in a state, in the words of the cluster; `brokers_out` as in
    `interactive_run_document`."""
    told = ClusterRun(model, Run(state, ()), _asked_service_property(model), broker_names, brokers_out)
    return told.sentence_of(state, step.action, step.arguments)


def _asked_service_property(model: Model) -> str:
    """The property about service that a model is asked about; "" where it is asked about records."""
    return next((prop.name for prop in model.properties if prop.name in SERVICE), "")


def _property_titles(trace: Mapping[str, Any]) -> dict[str, str]:
    return {name: PROMISED.get(name, name.replace("_", " ")) for name in trace["properties"]}


def broker_letters_text(broker_names: Mapping[str, str]) -> str:
    """Which of the model's letters is which broker."""
    return ", ".join(f"{letter} is {name}" for letter, name in sorted(broker_names.items()))


def letters_note(broker_names: Mapping[str, str]) -> str:
    """The same, as a saved trace notes it."""
    return f"Here {broker_letters_text(broker_names)}."


def _finding_place_text(one: Mapping[str, Any]) -> str:
    where = one["where"]
    if where is None:
        return ""
    return f", {where['path'].rpartition('/')[2]}{':' + str(where['line']) if where['line'] else ''}"


@immutable
class ClusterRun:
    """A run with the names that its brokers have. In one about service so many are out `hosts_out` the fault."""

    model: Model
    run: Run
    broken: str
    broker_names: Mapping[str, str]
    hosts_out: int = 0

    @property
    def states(self) -> Sequence[State]:
        return self.run.states()

    def name_of_broker(self, broker: object) -> str:
        """A broker's name in the cluster."""
        return self.broker_names.get(repr(broker), f"broker {broker!r}")

    # --- one sentence -------------------------------------------------------------------------------------------------

    def short_text(self) -> str:
        """What happened, in a few sentences with the steps' numbers."""
        lost = self._lost_record()
        if lost is None:
            return self._text_of_faults()
        record, since = lost
        promise = "could be read by consumers" if self.broken == "consistent_read" else "was acknowledged"
        return f"Record {record} {promise} (step {since}). {capitalize_first(self._text_of_loss(record, since))}."

    def _lost_record(self) -> tuple[int, int] | None:
        """The number of the record that is lost, and the step since which it should not be."""
        if self.broken not in ("acknowledged_kept", "acked_durable", "consistent_read"):
            return None
        reads = self.broken == "consistent_read"
        for step, state in enumerate(self.states):
            promised = {id_ for _, ids in state.read.items() for id_ in ids} if reads else set(state.acknowledged)
            for record in sorted(promised):
                if self._is_missed(record):
                    return record, step
        return None

    def _is_missed(self, record: int) -> bool:
        last, leader = self.states[-1], self._leader()
        holders = {broker for broker, log in last.log.items() if any(entry.id == record for entry in log)}
        return not holders if leader is None or self.broken == "acked_durable" else leader not in holders

    def _leader(self) -> Domain | None:
        """Who leads in the end, by the newest metadata that a leader has."""
        views = [(view.leader_epoch, broker) for broker, view in self.states[-1].view.items() if view.leader is broker]
        return max(views, key=lambda one: one[0])[1] if views else None

    def _text_of_loss(self, record: int, since: int) -> str:
        """How it was lost: what failed, and who leads without it."""
        leader = self._leader()
        parts = list(self._failures(record))
        if leader is not None and self.broken != "acked_durable":
            step = self._led_since(leader)
            had = any(entry.id == record for state in self.states[: step + 1] for entry in state.log[leader])
            again = bool(parts) and parts[-1][0] is leader
            if again:
                parts.append((leader, f"came back as leader without it (step {step})"))
            else:
                parts.append(
                    (leader, f"{'which had lost it' if had else 'which never had a copy'}, became leader (step {step})")
                )
        if not parts:
            return f"no broker has it after step {len(self.run.steps)}"
        return _join_subject_once(parts, self.name_of_broker)

    def _led_since(self, leader: Domain) -> int:
        """The step in which the leader of the end came to lead."""
        for step in range(len(self.run.steps), 0, -1):
            if self.states[step - 1].view[leader].leader is not leader:
                return step
        return 0

    def _failures(self, record: int) -> Iterator[tuple[object, str]]:
        """What failed, and who took the record out of a log, in order."""
        for number, step in enumerate(self.run.steps, 1):
            before, after = self.states[number - 1], self.states[number]
            who = next(iter(step.arguments.values()), None)
            if self.model.action(step.action).kind == "fault" and step.action in _FAULTS and isinstance(who, Domain):
                held = any(entry.id == record for entry in before.log[who])
                flushed = " before it was flushed" if held and not self._is_record_held(after, who, record) else ""
                alone = ", alone in the ISR," if set(before.registered.isr) == {who} else ""
                yield who, f"{alone} {_FAULTS[step.action].format(flushed)} (step {number})".lstrip(" ")
                continue
            for broker in before.log:
                if self._is_record_held(before, broker, record) and not self._is_record_held(after, broker, record):
                    yield broker, f"cut it from its log (step {number})"

    def _is_record_held(self, state: State, broker: Any, record: int) -> bool:
        return any(entry.id == record for entry in state.log[broker])

    def _text_of_faults(self) -> str:
        """What failed, what was written twice or too late, and what that comes to, where no record is lost."""
        texts = [
            f"{self.sentence_of_step(number).removesuffix('.')} (step {number})."
            for number, step in enumerate(self.run.steps, 1)
            if self.model.action(step.action).kind == "fault"
        ]
        end = ENDS.get(self.broken, "")
        return " ".join([*texts, *self._texts_of_appends(), *([end] if end and "{" not in end else [])])

    def _texts_of_appends(self) -> Iterator[str]:
        """Which record was written twice, or before which earlier one, and in which steps."""
        appended = [
            (number, after.log[broker][offset].id)
            for number, (before, after) in enumerate(zip(self.states, self.states[1:], strict=False), 1)
            for broker, was in before.log.items()
            for offset in range(len(was), len(after.log[broker]))
            if self.run.steps[number - 1].action.startswith("produce")
        ]
        for at, (number, record) in enumerate(appended):
            if self.broken == "no_duplicate" and (first := _appending_step(appended[:at], record)):
                yield f"Record {record} is appended (step {first}), and again (step {number})."
                return
            later = [one for one in appended[:at] if one[1] > record]
            if self.broken == "producer_order" and later:
                step, other = later[0]
                yield f"Record {other} is appended (step {step}), and record {record} after it (step {number})."
                return

    # --- the page -----------------------------------------------------------------------------------------------------

    def sentence_of_step(self, number: int) -> str:
        """A step's sentence."""
        step = self.run.steps[number - 1]
        return self.sentence_of(self.states[number - 1], step.action, step.arguments)

    def sentence_of(self, state: State, action: str, arguments: Mapping[str, Any]) -> str:
        """The sentence of a step from a state."""
        if action == "lose_host" and self.broken in SERVICE:
            return capitalize_first(
                unavailable_broker_sentence(
                    self.name_of_broker(arguments["broker"]), is_before_fault=len(state.gone) < self.hosts_out
                )
            )
        return name_brokers_in_sentence(step_sentence(self.model, state, action, arguments), self.broker_names)

    def could_happen(self) -> Document:
        """What else could happen in each state, in sentences."""
        texts: dict[str, int] = {}
        states: dict[str, Document] = {}
        for at, state in enumerate(self.states):
            said = [self.sentence_of(state, step.action, step.arguments) for step in steps_of(self.model, state)]
            enabled = [texts.setdefault(text, len(texts)) for text in dict.fromkeys(said)]
            states[str(at)] = {"enabled": enabled, "disabled": []}
        return {"steps": list(texts), "reasons": [], "states": states, "truncated": None}

    def page_document(self, trace: Mapping[str, Any], title: str, verdict: str, letters: str) -> Document:
        """The document of the page: the trace, renamed already, in an operator's words."""
        short = self.short_text() if trace["kind"] == "counterexample" else ""
        mentioned = [row["step"] for row in trace["argument"] if row["role"] == "event"]
        faults = [step["i"] for step in trace["steps"] if step["kind"] == "fault"]
        rows = [_argument_row("title", None, "How it happens")] + (
            [_argument_row("short", len(self.run.steps), short)] if short else []
        )
        rows += [
            _argument_row("event", number, f"{self.sentence_of_step(number).removesuffix('.')} (step {number}).")
            for number in sorted({*mentioned, *faults})
        ]
        return self.trace_in_words(trace) | {
            "title": title,
            "argument": rows if trace["kind"] == "counterexample" else [],
            "disabled": self.could_happen(),
            "cluster": {
                "title": title,
                "verdict": verdict,
                "letters": letters,
                "properties": _property_titles(trace),
                "before": self.hosts_out,
            },
        }

    def trace_in_words(self, trace: Mapping[str, Any]) -> Document:
        """A trace whose brokers are renamed already with its steps, changes and records in an operator's words."""
        shown: Document = {**trace}
        if shown["view"] is not None:
            shown["view"] = {**shown["view"], "lanes": sorted(shown["view"]["lanes"], key=_natural_key)}
        for number, step in enumerate(shown["steps"], 1):
            step["sentence"] = self.sentence_of_step(number)
            step["changed"] = [change_in_words(change) for change in step["changed"]]
        return rename_records(shown)


def _appending_step(appends: Sequence[tuple[int, int]], record: int) -> int:
    """The first step that appended a record; 0 where none did."""
    return next((number for number, id_ in appends if id_ == record), 0)


def _natural_key(name: str) -> tuple[str, int, str]:
    """`broker 10` after `broker 9`."""
    stem, _, number = name.rpartition(" ")
    return (stem, int(number), "") if number.isdecimal() else (name, 0, number)


def _argument_row(role: str, step: int | None, text: str) -> Document:
    return {"role": role, "step": step, "text": text}


def _join_subject_once(parts: Sequence[tuple[object, str]], name: Any) -> str:
    """`broker 2, alone in the ISR, lost power (9), and came back as leader (12)`: the subject once for what follows."""
    texts: list[str] = []
    for at, (who, what) in enumerate(parts):
        same = at > 0 and parts[at - 1][0] is who
        comma = what.startswith((",", "which"))
        subject = "" if same else f"{name(who)}{',' if what.startswith('which') else ''}"
        texts.append(f"{subject}{'' if comma and not what.startswith('which') else ' '}{what}".strip())
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])}, and {texts[-1]}"
