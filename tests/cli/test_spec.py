"""What `tidegate spec` writes is not out of date, and the wheel holds what an installed Tidegate needs."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest
from tidegate.cli.spec import formula_digests, model_page, model_summary_page, replace_digests
from tidegate.gates.records import read_record_file, set_argument
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS
from tidegate.reports.spec.summary import LINES

from ..conftest import ROOT, Run, RunHere

page_of = cache(model_page)
"""A page, made once: to make one takes as long as to bind its model."""


@pytest.mark.parametrize("name", [*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS])
def test_the_digests_are_those_of_the_formulas(name: str) -> None:
    """So that a change of what a model means shows beside what is recorded of it."""
    text = (ROOT / "spec" / f"{name}.toml").read_text(encoding="utf-8")
    assert replace_digests(text, formula_digests(name)) == text, "out of date: run `tidegate spec`"


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_page_is_what_the_models_text_gives(name: str) -> None:
    written = (ROOT / "spec" / f"{name}.md").read_text(encoding="utf-8")
    assert written == model_summary_page(name), "out of date: run `tidegate spec`"
    assert written.count("\n") <= LINES


def test_only_protocols_have_a_page() -> None:
    assert {path.stem for path in (ROOT / "spec").glob("*.md")} == {*CATALOGUE, "README"}


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_page_of_spec_has_every_field_action_guard_and_property(name: str) -> None:
    """Whatever it has no room for: names, and of each action all that it asks for."""
    model = CATALOGUE[name].definition().bind(name)
    text = (ROOT / "spec" / f"{name}.md").read_text(encoding="utf-8")
    fields = [field.name for field in model.fields if not re.search(rf"^\|.*`{field.name}`.*\|$", text, re.M)]
    actions = [action.name for action in model.actions if not re.search(rf"^\* `{action.name}[(`]", text, re.M)]
    claims = (*model.properties, *model.liveness, *model.terminals)
    properties = [prop.name for prop in claims if f"\n| `{prop.name}` | " not in text]
    assert fields + actions + properties == []


def test_a_page_says_what_it_leaves_out() -> None:
    """A branch of a guard that has no room names what it asks for and changes; the whole is in the formulas."""
    text = " ".join((ROOT / "spec" / "partition.md").read_text(encoding="utf-8").split())
    assert "(if is_copy(leader, id): asks for more, changes acknowledged; else: asks for more, changes" in text
    assert "id ∉ acknowledged\n" in page_of("partition")


def test_digests_stand_before_every_table_and_are_replaced(tmp_path: Path) -> None:
    text = 'schema = "tidegate.spec/1"\nopen = [\n    "a",\n]\n\n# about\n[bounds.x]\nn = 1\n'
    once = replace_digests(text, {"state": "1"})
    assert once == (
        'schema = "tidegate.spec/1"\nopen = [\n    "a",\n]\n\n'
        '[formulas] # written by `tidegate spec`\nstate = "1"\n\n# about\n[bounds.x]\nn = 1\n'
    )
    assert replace_digests(once, {"state": "2"}) == once.replace('"1"\n\n#', '"2"\n\n#')
    (tmp_path / "x.toml").write_text(once)
    assert {name: set_argument(it) for name, it in read_record_file(tmp_path / "x.toml").bounds["x"].items()} == {
        "n": "1"
    }


@pytest.mark.parametrize("name", CATALOGUE)
def test_all_formulas_have_every_constant_field_action_and_property(name: str) -> None:
    model = CATALOGUE[name].definition().bind(name)
    text = page_of(name)
    wanted = [f"| `{constant}` |" for constant in (*model.constants, *(field.name for field in model.fields))]
    wanted += [f"### {declared.name}" for declared in (*model.actions, *model.properties)]
    assert [heading for heading in wanted if heading not in text] == []
    assert "== " not in text.replace("≜", ""), "it is notation, not Python"


@pytest.mark.parametrize("name", REFINEMENTS)
def test_the_page_of_a_claim_has_the_mapping_and_the_abstract_actions(name: str) -> None:
    definition = REFINEMENTS[name].definition()
    (claim,) = definition.bind(name).properties
    assert claim.refinement is not None
    text = page_of(name)
    assert f"{claim.name} ≜" in text
    assert f"*A refinement of* `{claim.refinement.abstract.name}`" in text
    wanted = [f"| `{action.name}" for action in claim.refinement.abstract.actions]
    wanted += [f"### {bound}" for bound in definition.names("bound")]
    assert [heading for heading in wanted if heading not in text] == []
    assert f"[{name.partition('_as_')[0]}]({name.partition('_as_')[0]}.md)" in text


@pytest.fixture
def two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models as the whole catalogue: that all are as they are written is looked at above."""
    monkeypatch.setattr("tidegate.cli.spec.CATALOGUE", {name: CATALOGUE[name] for name in ("async_isr", "replication")})
    monkeypatch.setattr("tidegate.cli.spec.REFINEMENTS", {})
    monkeypatch.setattr("tidegate.cli.spec.LIVENESS_CLAIMS", {})


@pytest.mark.usefixtures("two_models")
def test_drift_of_all_formulas_is_shown_and_exits_6(run_here: RunHere, tmp_path: Path) -> None:
    assert run_here("spec", "--dir", str(tmp_path))[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"async_isr.md", "replication.md"}
    assert run_here("spec", "--dir", str(tmp_path), "--check")[0] == 0
    stale = tmp_path / "replication.md"
    stale.write_text(stale.read_text().replace("leader ∈ quorum.isr", "leader ∉ quorum.isr", 1))
    exit_, out = run_here("spec", "--dir", str(tmp_path), "--check")
    assert exit_ == 6
    assert "-  when    leader ∉ quorum.isr" in out
    assert "+  when    leader ∈ quorum.isr" in out


@pytest.mark.usefixtures("two_models")
def test_drift_of_spec_is_shown_and_exits_6(run_here: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that says otherwise, and a digest of formulas that are others."""
    for name in ("async_isr.md", "async_isr.toml", "replication.md", "replication.toml"):
        (tmp_path / name).write_bytes((ROOT / "spec" / name).read_bytes())
    monkeypatch.setattr("tidegate.cli.spec.spec_folder", lambda: tmp_path)
    assert run_here("spec", "--check")[0] == 0
    (tmp_path / "async_isr.md").write_text((tmp_path / "async_isr.md").read_text().replace(" ∈ ", " ∉ ", 1))
    record = (tmp_path / "replication.toml").read_text()
    (tmp_path / "replication.toml").write_text(re.sub(r'^actions = ".*"$', 'actions = "0"', record, flags=re.M))
    exit_, out = run_here("spec", "--check")
    assert exit_ == 6
    assert '-actions = "0"\n+actions = "' in out
    assert sum(line.startswith("+") and not line.startswith("+++") for line in out.splitlines()) == 2


def test_a_model_of_ones_own_has_a_page_too(tidegate: Run) -> None:
    done = tidegate("spec", "examples/lock.py")
    assert done.exit == 0
    assert "one_inside ≜\n  ∀ a ∈ Client, b ∈ Client: a = b ∨" in done.out


def test_the_wheel_runs_by_itself(tmp_path: Path) -> None:
    """Built, unpacked apart from the repository, and run: the gate finds its records, the models their text."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*build, str(copy_repository(tmp_path))], check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        wheel.extractall(tmp_path / "site")
    data = {f"tidegate/spec/{path.name}" for path in (ROOT / "spec").iterdir() if path.suffix in (".toml", ".md")}
    packages = ("language", "model", "invariants", "explorer", "reports", "audit", "testing", "cli")
    assert data | {f"tidegate/{package}/py.typed" for package in packages} <= names
    modules = {
        f"tidegate/{path.relative_to(ROOT).as_posix()}"
        for package in packages
        for path in (ROOT / package).rglob("*.py")
    }
    assert modules <= names
    program = (
        "import sys; sys.meta_path = [f for f in sys.meta_path if 'editable' not in repr(f).lower()]; "
        f"sys.path.insert(0, {str(tmp_path / 'site')!r}); "
        "from tidegate.cli import main; assert main.__file__.startswith(sys.path[0]); "
        "sys.exit(main.main(['check', 'replication:kip320', '--bounds', 'small', '--property', 'strong_isr']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "957 distinct states" in done.stdout


def copy_repository(folder: Path) -> Path:
    """The repository's tracked and new files, so that building leaves nothing behind in it."""
    target = folder / "source"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0"):
        source = ROOT / name
        if name and source.is_file() and not source.is_symlink():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(source.read_bytes())
    return target
