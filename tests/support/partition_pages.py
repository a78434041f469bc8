"""The tables of docs/partition-*.md, each cell from a check: what is written there was found by the engine just now.

All checks of one size share a kernel: settings, switches and budgets are left open in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidegate.explorer import ENGINES
from tidegate.explorer.native.effort import QUICK_EFFORT, ROLLED_EFFORT
from tidegate.explorer.native.kernels import Kernel, kernel_of
from tidegate.explorer.native.search import explore
from tidegate.explorer.search import Search
from tidegate.explorer.symmetry import Symmetry, symmetry_of
from tidegate.invariants.catalogue import find
from tidegate.language.constants import PlainValue, Value
from tidegate.language.model import Model
from tidegate.language.verdict import PropertyVerdict, Verdict

Settings = Mapping[str, PlainValue]

CLOSED = frozenset({"replicas", "max_records", "log_size", "max_leader_epoch", "voters"})
"""Constants that the layout of a state depends on: a kernel for each of their values."""

SWITCHES = frozenset({"acknowledges_uncommitted", "loses_acknowledged", "readers_diverge", "unavailable_while_down"})
"""Constants of the log that a partition is claimed to be: a kernel for each of their values, too."""

CALM: Settings = {"isr_shrinks": 0, "fences": 0, "power_losses": 0}
"""No fault but those that a check asks for."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A compiled kernel, the model that it was made from, and that model's symmetry."""

    model: Model
    symmetry: Symmetry
    kernel: Kernel


@dataclass(frozen=True, slots=True)
class Pages:
    """Runs checks, each once, with compiled kernels kept in a folder and in use for all checks of one size: quick ones,
    and others for what turns out to have many states."""

    kernels: Path
    engines: dict[Any, Engine] = field(default_factory=dict[Any, Engine])
    verdicts: dict[Any, Verdict] = field(default_factory=dict[Any, Verdict])

    def check(
        self, profile: str, settings: Settings, properties: Sequence[str], name: str = "partition"
    ) -> dict[str, PropertyVerdict]:
        """Each property's verdict under a profile, with these settings over it and faults only where they are given."""
        definition, _ = find(name)
        values = definition.values({**CALM, **settings}, profile)
        asked = (*properties, *values.items())
        if asked not in self.verdicts:
            engine = self._engine(name, values, properties)
            opened = {name: value for name, value in values.items() if name not in CLOSED | SWITCHES}
            model = definition.with_constants(engine.model, profile, opened)
            search = Search(symmetry=True, recheck=10, cache=self.kernels)

            def faster() -> Kernel:
                return kernel_of(engine.model, engine.symmetry.domains, self.kernels, effort=ROLLED_EFFORT)

            self.verdicts[asked] = explore(model, search, engine.kernel, engine.symmetry, faster=faster)
        verdict = self.verdicts[asked]
        assert verdict.verdict != "inconclusive", verdict.assurance
        return {prop.name: prop for prop in verdict.properties}

    def _engine(self, name: str, values: Mapping[str, Value], properties: Sequence[str]) -> Engine:
        definition, _ = find(name)
        size = (*properties, *(values[constant] for constant in sorted(CLOSED | SWITCHES) if constant in values))
        if size not in self.engines:
            opened = [constant for constant in definition.constants if constant not in CLOSED | SWITCHES]
            model = definition.bind(name, values, None, opened, properties=properties)
            symmetry = symmetry_of(model)
            kernel = kernel_of(model, symmetry.domains, self.kernels, effort=QUICK_EFFORT)
            self.engines[size] = Engine(model, symmetry, kernel)
        return self.engines[size]

    def loss_words(self, profile: str, settings: Settings) -> str:
        """`kept`, or `lost` and in how many steps: every acknowledged record, whatever the producer waited for."""
        found = self.check(profile, settings, ("acknowledged_kept", "acked_durable"))
        steps = [len(prop.run.steps) for prop in found.values() if prop.run is not None]
        return lost_after(min(steps, default=None))

    def refines(self, profile: str, settings: Settings, switches: Settings) -> PropertyVerdict:
        """Whether the partition is a log with these switches on, and the others off."""
        return self.check(profile, {**settings, **switches}, ("as_log",), "partition_as_log")["as_log"]

    def quorum_keeps(self, voters: int, wipes: int) -> bool:
        """Whether KRaft's log keeps what is committed when so many of its voters lose their disks."""
        definition, _ = find("kraft")
        values = {"voters": voters, "wipes": wipes, "crashes": 0, "max_epoch": 1 if voters > 3 else 2}
        model = definition.bind("kip853", values, "kip853", properties=("acked_value_not_lost",))
        verdict = ENGINES["native"](model, Search(symmetry=True, recheck=10, cache=self.kernels), None)
        return verdict.properties[0].verdict == "holds"

    def goes_on(self, settings: Settings, without: int) -> bool:
        """Whether writes with acks=all go on once so many brokers are lost."""
        return self.is_reached("kafka_4_1", {**settings, "host_losses": without}, "writes_go_on") == "yes"

    def is_reached(self, profile: str, settings: Settings, witness: str) -> str:
        """Whether a witness can be reached."""
        found = self.check(profile, settings, (witness,))
        return "yes" if found[witness].verdict == "reached" else "**no**"


# --- the matrix -------------------------------------------------------------------------------------------------------

VERSIONS = (
    ("kafka_0_10", "0.10.2", "ZooKeeper"),
    ("kafka_2_1", "2.1", "ZooKeeper"),
    ("kafka_2_8", "2.8", "ZooKeeper"),
    ("kafka_3_3", "3.3", "KRaft"),
    ("kafka_3_7", "3.7", "KRaft"),
    ("kafka_3_9_zookeeper", "3.9", "ZooKeeper"),
    ("kafka_3_9", "3.9", "KRaft"),
    ("kafka_4_1", "4.1", "KRaft"),
    ("kafka_4_3", "4.3", "KRaft"),
)

ROWS: tuple[tuple[str, int, Settings], ...] = (
    ("0", 3, {"acks": "none", "min_isr": 1}),
    ("1", 3, {"acks": "leader", "min_isr": 1}),
    ("all", 3, {"min_isr": 1}),
    ("all", 3, {"min_isr": 2}),
    ("all", 3, {"min_isr": 2, "unclean": True}),
    ("all", 3, {"min_isr": 3}),
    ("all", 2, {"min_isr": 2}),
    ("all", 1, {"min_isr": 1}),
)


def faults(replicas: int) -> dict[str, Settings]:
    """The columns: what goes wrong, in which order."""
    lag = {"isr_shrinks": replicas - 1}
    return {
        "one dies": {"crashes": 1},
        "each dies once": {"crashes": replicas},
        "the others lag, then one dies": {**lag, "crashes": 1},
        "... or its disk is lost": {**lag, "disk_losses": 1},
        "one loses power": {"power_losses": 1},
        "the others lag, then one loses power": {**lag, "power_losses": 1},
        "each loses power once": {"power_losses": replicas},
    }


GOES_ON = "writes go on with one lost"


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One cell of the matrix: a version, a row of settings, a column."""

    profile: str
    row: int
    column: str

    @property
    def settings(self) -> Settings:
        """The row's settings."""
        _, replicas, settings = ROWS[self.row]
        return {**settings, "replicas": replicas}

    def explore(self, pages: Pages) -> str:
        """What the engine finds."""
        if self.column == GOES_ON:
            return pages.is_reached(self.profile, {**self.settings, "host_losses": 1}, "writes_go_on")
        return pages.loss_words(self.profile, {**self.settings, **self.faults})

    @property
    def faults(self) -> Settings:
        """What goes wrong."""
        return faults(ROWS[self.row][1])[self.column] if self.column != GOES_ON else {"host_losses": 1}

    def as_log(self, pages: Pages) -> str:
        """The same, from the log that the partition is with a switch of the log on, and is or is not with it off."""
        settings = {**self.settings, **self.faults, "acknowledges_uncommitted": ROWS[self.row][0] != "all"}
        if self.column == GOES_ON:
            settings = {**settings, "loses_acknowledged": True, "readers_diverge": True}
            off, on = (pages.refines(self.profile, settings, {"unavailable_while_down": on}) for on in (False, True))
            assert off.verdict == "holds"
            return "**no**" if on.verdict == "holds" else "yes"
        settings = {**settings, "readers_diverge": True}
        off, on = (pages.refines(self.profile, settings, {"loses_acknowledged": on}) for on in (False, True))
        assert on.verdict == "holds"
        return lost_after(steps_of(off))

    def reads(self, pages: Pages) -> str:
        """What readers find: whether the leader has what was read, where it was."""
        found = pages.check(self.profile, {**self.settings, **self.faults}, ("consistent_read",))
        return differ_after(steps_of(found["consistent_read"]))

    def reads_as_log(self, pages: Pages) -> str:
        """The same, from the log that the partition is with `readers_diverge` on, and is or is not with it off."""
        settings = {**self.settings, **self.faults, "acknowledges_uncommitted": ROWS[self.row][0] != "all"}
        settings = {**settings, "loses_acknowledged": True}
        off, on = (pages.refines(self.profile, settings, {"readers_diverge": on}) for on in (False, True))
        assert on.verdict == "holds"
        return differ_after(steps_of(off))


def steps_of(found: PropertyVerdict) -> int | None:
    """The steps of a counterexample; None where there is none."""
    return None if found.run is None else len(found.run.steps)


def lost_after(steps: int | None) -> str:
    """A cell of the matrix."""
    return "kept" if steps is None else f"**lost**, {steps}"


def differ_after(steps: int | None) -> str:
    """A cell about readers."""
    return "agree" if steps is None else f"**differ**, {steps}"


def matrix(about: str = "") -> Iterator[tuple[str, list[tuple[list[str], list[MatrixCell]]]]]:
    """For each version a heading, and for each row what it is about and its cells. About readers there is no column on
    writes."""
    for profile, version, plane in VERSIONS:
        rows = [
            (
                [acks, str(replicas), str(settings["min_isr"]), str(bool(settings.get("unclean"))).lower()],
                [MatrixCell(profile, index, column) for column in columns(about, replicas)],
            )
            for index, (acks, replicas, settings) in enumerate(ROWS)
        ]
        yield f"### {about}{' in ' if about else ''}Kafka {version}, {plane}", rows


READERS = "Readers"
"""What the second table of each version is about."""


def columns(about: str, replicas: int) -> list[str]:
    """The columns of a table."""
    return [*faults(replicas), *([] if about == READERS else [GOES_ON])]


def row(cells: Iterable[str]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def matrix_text(results: Callable[[MatrixCell], str], about: str = "") -> str:
    """The tables of all versions, given what each cell says."""
    lines: list[str] = []
    for heading, rows in matrix(about):
        head = ["acks", "replicas", "min.isr", "unclean", *columns(about, 3)]
        lines += [heading, "", row(head), row(["---"] * len(head))]
        lines += [row([*settings, *map(results, cells)]) for settings, cells in rows]
        lines.append("")
    return "\n".join(lines)


def matrix_cells(text: str, about: str = "") -> Iterator[tuple[MatrixCell, str]]:
    """Each cell with what a page says of it."""
    lines = iter(text.splitlines())
    for heading, rows in matrix(about):
        assert any(line == heading for line in lines), f"no {heading!r} in the page"
        assert [next(lines)[:1] for _ in range(3)] == ["", "|", "|"]
        for settings, cells in rows:
            said = [cell.strip() for cell in next(lines).strip("|").split("|")]
            assert said[: len(settings)] == settings
            yield from zip(cells, said[len(settings) :], strict=True)


# --- lost disks and lost directories ----------------------------------------------------------------------------------

DIRECTORY_COLUMNS: Mapping[str, Settings] = {
    "all lag, a disk is lost": {"disk_losses": 1, "lags": 1},
    "one is shut down, a disk is lost": {"disk_losses": 1, "shutdowns": 1},
    "each is shut down once, a disk is lost": {"disk_losses": 1, "shutdowns": 3},
    "all lag, a directory is lost": {"directory_losses": 1, "lags": 1},
    "one is shut down, a directory is lost": {"directory_losses": 1, "shutdowns": 1},
    "each is shut down once, a directory is lost": {"directory_losses": 1, "shutdowns": 3},
}
DIRECTORY_VERSIONS = ("kafka_2_7", "kafka_3_7", "kafka_3_9_zookeeper", "kafka_3_9", "kafka_4_1", "kafka_4_3")


def directory_lines(pages: Pages, profiles: Sequence[str] = DIRECTORY_VERSIONS) -> list[str]:
    """What is kept with min.isr 2 where a disk is lost, or one of a broker's several directories: lines of a table."""
    called = {profile: f"{version}, {plane}" for profile, version, plane in VERSIONS}
    head = [row(["version", "replicas", *DIRECTORY_COLUMNS]), row(["---"] * (2 + len(DIRECTORY_COLUMNS)))]
    return head + [
        row(
            [
                called[profile],
                str(replicas),
                *(_directory_cell(pages, profile, replicas, it) for it in DIRECTORY_COLUMNS),
            ]
        )
        for profile in profiles
        for replicas in (3, 2)
    ]


def _directory_cell(pages: Pages, profile: str, replicas: int, column: str) -> str:
    happens = dict(DIRECTORY_COLUMNS[column])
    lags = {"isr_shrinks": replicas - 1} if happens.pop("lags", 0) else {}
    stops = {"shutdowns": min(int(happens["shutdowns"]), replicas)} if "shutdowns" in happens else {}
    return pages.loss_words(profile, {"min_isr": 2, "replicas": replicas, **happens, **lags, **stops})


# --- majorities and the ISR -------------------------------------------------------------------------------------------

QUORUMS = (3, 4, 5)
COPIES = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3), (5, 1), (5, 2), (5, 3))
CITED = "cited: ZAB, Viewstamped Replication as well"


def tolerances(pages: Pages, quorums: Iterable[int], copies: Iterable[tuple[int, int]]) -> list[str]:
    """How many lost disks, and how many lost brokers, each way of counting copies goes on with: lines of a table."""
    return [*(majority_row(pages, voters) for voters in quorums), *(isr_row(pages, *copy) for copy in copies)]


def majority_row(pages: Pages, voters: int) -> str:
    """A majority of so many voters. The model replaces two disks at most."""
    most = voters // 2
    assert pages.quorum_keeps(voters, most)
    too_many = "not asked" if most == 2 else "kept" if pages.quorum_keeps(voters, most + 1) else "lost"
    down = (voters - 1) // 2
    survives = f"{most}, and nobody can be elected" if most > down else str(most)
    return row([str(voters), f"a majority, {most + 1}", "Raft, in KRaft", survives, too_many, f"{down}; {CITED}"])


def isr_row(pages: Pages, replicas: int, min_isr: int) -> str:
    """An ISR of so many replicas, of which followers lag as far as writes still go on."""
    settings = {"replicas": replicas, "min_isr": min_isr}
    assert pages.loss_words("kafka_4_3", {**settings, "disk_losses": min_isr - 1, "isr_shrinks": 1}) == "kept"
    lost = pages.loss_words("kafka_4_3", {**settings, "disk_losses": min_isr, "isr_shrinks": replicas - min_isr})
    without = next(n for n in (4, 3, 2, 1, 0) if n == 0 or (n < replicas and pages.goes_on(settings, n)))
    steps = lost.replace("**", "")
    protocols = "Kafka; cited: PacificA" if min_isr == 1 else "Kafka"
    least = f"the ISR, at least {min_isr}"
    return row([str(replicas), least, protocols, str(min_isr - 1), f"{steps} steps", str(without)])


TOLERANCES_HEAD = [
    row(
        [
            "copies",
            "who must have a record",
            "where",
            "lost disks that a copy survives",
            "one more",
            "writes go on without",
        ]
    ),
    row(["---"] * 6),
]
