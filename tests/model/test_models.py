"""The shipped models as texts: they bind in every profile, say what they do, and are recorded."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.symmetry import symmetry_of
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS, find
from tidegate.language.binding import load
from tidegate.language.errors import UsageError
from tidegate.language.judge import initial_states, steps
from tidegate.language.model import Model
from tidegate.language.model_parts import PROPERTIES

from ..conftest import ROOT
from ..support.shipped import bind_shipped, tier_parameters

EXAMPLES = sorted(
    path for path in (ROOT / "examples").glob("*.py") if path.stem not in {"raft_cluster", "raft_store"}
)  # no models
FULL_NAMES = [
    f"{name}:{profile}" if profile else name
    for name, entry in CATALOGUE.items()
    for profile in entry.definition().profiles or ("",)
]
DEFAULTS = [name for name in FULL_NAMES if find(name.partition(":")[0])[1] in (name.partition(":")[2], None)]
"""Each model in its default profile: the others differ from it by the values of constants."""
REPLICATION = [name for name in FULL_NAMES if name.startswith("replication") or name == "async_isr"]
"""The models of replication, which plain Python explores in seconds; the others have files of their own."""


def bind_model(name: str, *, ghosts: bool = True) -> Model:
    return bind_shipped(name, ghosts=ghosts)


# --- the catalogue ----------------------------------------------------------------------------------------------------


def test_the_catalogue_has_the_published_profiles() -> None:
    assert set(REPLICATION) == {
        "replication:truncate_to_hw",
        "replication:kip101",
        "replication:kip279",
        "replication:kip320_first_try",
        "replication:kip320",
        "async_isr",
    }


def test_a_model_without_a_profile_is_its_default_one() -> None:
    assert find("replication")[1] == "kip320"
    assert find("async_isr")[1] is None


@pytest.mark.parametrize(
    ("name", "said"),
    [("replicaton", "replication"), ("replication:kip32", "kip320"), ("replication:", "no profile"), ("", "no model")],
)
def test_what_is_not_in_the_catalogue_is_named_with_what_is_near(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        find(name)


@pytest.mark.parametrize("name", [*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS])
def test_every_model_is_recorded(name: str) -> None:
    assert read_record_file(ROOT / "spec" / f"{name}.toml").model == name


@pytest.mark.parametrize("name", REFINEMENTS)
def test_a_refinement_has_all_of_its_model_and_one_property(name: str) -> None:
    concrete, _, abstract = name.partition("_as_")
    definition, own = find(concrete)[0], find(name)[0]
    assert own.names("refines") == own.names(*PROPERTIES) == (f"as_{abstract}",)
    for role in ("initial", "action", "terminal"):
        assert own.names(role) == definition.names(role)
    assert own.profiles == definition.profiles
    if abstract in CATALOGUE:  # else it refines itself, in a profile where the two differ
        assert REFINEMENTS[name].default_profile == CATALOGUE[concrete].default_profile


# --- the texts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tier_parameters(FULL_NAMES, DEFAULTS.__contains__, long=lambda name: False))
def test_every_action_and_property_says_what_it_is(name: str) -> None:
    model = bind_model(name)
    assert all(action.sentence.endswith(".") for action in model.actions)
    assert all(prop.says.endswith(").") or prop.says.endswith(".") for prop in model.properties)
    assert all(field.says for field in model.fields)
    assert all(constant.says for constant in model.constants.values())


@pytest.mark.parametrize("name", DEFAULTS)
def test_type_ok_can_be_asked_for(name: str) -> None:
    definition, profile = find(name)
    assert [prop.name for prop in definition.bind(profile=profile, properties=["type_ok"]).properties] == ["type_ok"]


SHOWN_BY_ITS_FIRST_LINE = {
    "action", "invariant", "transition", "reachable", "lemma", "leads_to", "always_eventually", "eventually_always",
    "always_possible",
}  # fmt: skip


def test_the_first_line_of_what_is_shown_is_a_whole_sentence() -> None:
    """Lists of proofs and of claims show the first line alone, of what no profile of a model has, too."""
    cut: list[str] = []
    for path in [*(ROOT / "model").rglob("*.py"), *(ROOT / "invariants").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
                lines = (ast.get_docstring(node) or "").splitlines()
                if marks & SHOWN_BY_ITS_FIRST_LINE and lines and not lines[0].endswith((".", ".)")):
                    cut.append(f"{path.name}: {node.name}: {lines[0]}")
    assert not cut


def test_ghosts_fold_away_with_what_reads_them() -> None:
    with_ghosts, without = bind_model("replication:kip320"), bind_model("replication:kip320", ghosts=False)
    assert [field.name for field in with_ghosts.fields if field.ghost] == ["committed", "left_isr"]
    assert not any(field.ghost for field in without.fields)
    assert {prop.name for prop in without.properties if not prop.applicable} == {
        "leader_completeness",
        "true_high_watermark_never_decreases",
        "no_truncation_below_true_high_watermark",
        "isr_shrinks_and_grows_back",
    }


@pytest.mark.parametrize("name", REPLICATION)
def test_only_the_first_design_of_kip_320_truncates_on_a_fetch(name: str) -> None:
    off = [action.name for action in bind_model(name).actions if action.switched_off]
    expected = [] if name in ("replication:kip320_first_try", "async_isr") else ["truncate"]
    assert off == expected


def test_kinds_tell_clients_and_faults_from_the_protocol() -> None:
    kinds = {
        action.name: action.kind for action in bind_model("replication:kip320").actions if action.kind != "protocol"
    }
    assert kinds == {"write": "client", "controller_shrink_isr": "fault"}


@pytest.mark.parametrize("name", [name for name in FULL_NAMES if name.startswith("replication")])
@pytest.mark.parametrize("ghosts", [False, True])
def test_replicas_are_symmetric(name: str, ghosts: bool) -> None:
    symmetry = symmetry_of(bind_model(name, ghosts=ghosts))
    assert ([domain.name for domain in symmetry.domains], list(symmetry.refusals)) == (["Replica"], [])


# --- all that can happen, happens -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPLICATION)
def test_every_action_happens_within_small_bounds(name: str) -> None:
    definition, profile = find(name)
    small = {"replicas": 2, "max_leader_epoch": 1} if name.startswith("replication") else {}
    verdict = ENGINES["python"](
        definition.bind(name, small, profile, ghosts=False, properties=["type_ok"]), Search(), None
    )
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    never = {action.name for action in verdict.actions if action.firings == 0 and not action.switched_off}
    assert never == set()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_holds(path: Path, cache: Path) -> None:
    model = load(path).bind()
    verdict = ENGINES["native"](model, Search(symmetry=True, cache=cache), None)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.with_suffix(".toml").is_file()], ids=lambda path: path.stem
)
def test_an_examples_gate_file_is_of_that_example(path: Path) -> None:
    assert Path(read_record_file(path.with_suffix(".toml")).model) == path


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_defaults_fit_together(name: str) -> None:
    """Runs at the bounds that a model has by itself break none of its types: ModelError would say so."""
    model = bind_shipped(name)
    for seed in range(3):
        chance = random.Random(seed)
        state = chance.choice(list(initial_states(model)))
        for _ in range(25):
            possible = list(steps(model, state))
            if not possible:
                break
            state = chance.choice(possible).state_after
