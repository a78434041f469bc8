"""What the tests of the faces share: running the command line as a user does."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tidegate.cli.entry import reduce_garbage_collection
from tidegate.cli.main import main

from .support.commands import CommandResult, Commands

if TYPE_CHECKING:
    from tidegate.audit.exploring.explorations import Explorations

ROOT = Path(__file__).resolve().parent.parent

# The same examples in every run, so that two runs differ only by what was changed; TIDEGATE_DEEP=1 draws new ones.
# In either, no test is about how quickly this machine answers: another's load must not fail it.
settings.register_profile("deep", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("deep"), derandomize=True, database=None)
settings.load_profile("deep" if os.environ.get("TIDEGATE_DEEP") else "same")

reduce_garbage_collection()

# A shell that starts the tests in its background has them ignore Ctrl-C, and so would every command that they start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where Python is to write no bytecode beside the source, processes that the tests start share what they compile here.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    _bytecode = tempfile.TemporaryDirectory(prefix="tidegate-bytecode-")
    os.environ["PYTHONPYCACHEPREFIX"] = _bytecode.name

LONGEST = (
    "docs/test_commands", "reports/trace/html/test_browser", "cli/test_prove_verdicts", "reports/audit/test_html",
    "cli/test_examples",
    "cli/test_gate", "cli/test_prove", "model/replication/test_proof", "cli/test_main", "test_style",
    "model/test_refinements", "reports/trace/html/test_keys", "model/kraft/test_stories", "cli/test_spec",
    "explorer/native/test_search", "explorer/native/test_kernels", "explorer/spark/test_driver",
    "explorer/spark/test_levels", "explorer/smt/test_refinement_proofs", "cli/test_audit",
    "audit/answers/test_verdicts", "explorer/test_differential", "examples/test_published", "language/test_refinement",
    "model/partition/test_stories", "traces/test_argument", "explorer/spark/test_spark", "explorer/native/test_walks",
    "reports/trace/test_exports", "traces/test_document", "explorer/smt/test_hints", "explorer/smt/test_encoding",
    "api/test_api", "audit/exploring/test_inference", "explorer/smt/test_induction",
    "integration/constructs/test_sets_of_records", "docs/test_language", "audit/questions/test_situations",
    "audit/answers/test_scenario", "language/test_refinement_messages", "model/raft/test_stories",
    "explorer/test_plain", "audit/exploring/test_explorations", "model/raft/test_proof", "explorer/spark/test_walks",
    "explorer/test_symmetry", "explorer/smt/test_process_pool", "model/zk_controller/test_stories",
    "audit/questions/test_down", "model/test_models", "audit/test_hostile", "audit/test_service", "test_words",
)  # fmt: skip
"""The files whose ordinary tests take longest, which are begun first, so that no process has one of them left when all
else is done."""

LONGEST_OF_LONG = (
    "explorer/native/test_folding", "model/kraft/test_stories", "explorer/spark/test_spark",
    "explorer/smt/test_refinement_proofs", "test_style", "audit/exploring/test_inference",
    "examples/test_published", "docs/test_commands", "cli/test_audit",
    "model/replication/test_proof", "traces/test_argument", "audit/answers/test_verdicts",
    "audit/questions/test_situations", "audit/exploring/test_explorations", "model/raft/test_proof",
    "model/kraft/test_proof", "audit/readers/running/test_live", "explorer/test_random_refinements",
    "explorer/test_random_models", "explorer/native/test_walks", "explorer/smt/test_proofs_differ",
    "explorer/test_differential", "explorer/spark/test_driver", "explorer/spark/test_levels",
    "docs/test_partition_pages", "explorer/native/test_search", "explorer/native/test_kernels",
    "model/raft/test_stories", "integration/constructs/test_step_bounds", "model/partition/test_stories",
    "reports/trace/html/test_browser", "model/test_models", "traces/test_document",
    "model/studies/znode_election/test_stories",
)  # fmt: skip
"""The same of long tests."""

COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""All tests that were collected, those of the tiers that are not run too."""


def file_of(path: Path) -> str:
    """A file of tests by its place in `tests/`: `explorer/native/test_layout`."""
    return path.relative_to(ROOT / "tests").with_suffix("").as_posix()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Puts the longest files first; the order is otherwise that of their names."""
    config.stash[COLLECTED] = list(items)
    longest = LONGEST_OF_LONG if config.option.markexpr == "long" else LONGEST
    places = {name: place for place, name in enumerate(longest)}
    items.sort(key=lambda item: places.get(file_of(item.path), len(places)))


Run = Callable[..., CommandResult]

NewExplorations = Callable[[], "Explorations"]

RunHere = Callable[..., tuple[int, str]]

SavedAudit = Callable[..., tuple[CommandResult, Path]]


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """The key that seals kept proofs is made for the session, apart from the user's."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of compiled kernels for the whole session, apart from the user's. All of pytest's workers share it, and
    with TIDEGATE_TEST_KERNELS, a folder, several sessions do: .ci/run has two and the gate."""
    if given := os.environ.get("TIDEGATE_TEST_KERNELS"):
        return Path(given)
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "kernels"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def new_explorations(cache: Path) -> NewExplorations:
    """Makes an audit's explorations that know nothing. They share their bound models and kernels with all others of
    this process: to bind one takes longer than most explorations."""
    from tidegate.audit.exploring.case_explorer import CaseExplorer
    from tidegate.audit.exploring.explorations import Explorations

    bench = CaseExplorer(cache)

    def make_explorations() -> Explorations:
        explorations = Explorations(cache, workers=1)
        explorations.case_explorer = bench
        return explorations

    return make_explorations


@pytest.fixture(scope="session")
def commands() -> Generator[Commands]:
    """Runs commands in processes that are forked from a warm one."""
    made = Commands()
    yield made
    made.close()


@pytest.fixture
def tidegate(cache: Path, commands: Commands) -> Run:
    """`tidegate("check", "examples/lock.py")` in a process of its own, started in the repository."""

    def run(*arguments: str, cwd: Path = ROOT) -> CommandResult:
        environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8"}
        environment.pop("NO_COLOR", None)
        return commands.run(arguments, cwd, environment)

    return run


@pytest.fixture(scope="session")
def saved_audit(tmp_path_factory: pytest.TempPathFactory, cache: Path, commands: Commands) -> SavedAudit:
    """`saved_audit("examples/clusters/acks-1", "--kafka-version", "3.9")`: what an audit says, and the folder of its
    `--out`, made once for all tests that only read it: its pages take longer to write than all else in it."""
    made: dict[tuple[str, ...], tuple[CommandResult, Path]] = {}

    def audit(*arguments: str) -> tuple[CommandResult, Path]:
        if arguments not in made:
            out = tmp_path_factory.mktemp("audit") / "out"
            environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8"}
            environment.pop("NO_COLOR", None)
            made[arguments] = commands.run(("audit", *arguments, "--json", "--out", str(out)), ROOT, environment), out
        return made[arguments]

    return audit


@pytest.fixture
def run_here(capsys: pytest.CaptureFixture[str]) -> RunHere:
    """`run_here("gate", "none.toml")` in this process, for what is printed before a run: the exit and all output."""

    def run(*arguments: str) -> tuple[int, str]:
        exit_ = main(arguments)
        printed = capsys.readouterr()
        return int(exit_), printed.out + printed.err

    return run
