"""The style guide as a test: lengths, annotations, docstrings, who may import whom, no dead module."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS

ROOT = Path(__file__).resolve().parent.parent

ALLOWED = {
    "language": set[str](),
    "traces": {"language"},
    "model": {"language"},
    "invariants": {"language", "model"},
    "explorer": {"language", "traces"},
    "reports": {"language", "traces"},
    "testing": {"language", "traces", "explorer"},
    "audit": {"language", "traces", "model", "invariants", "explorer", "reports"},
    "gates": {"language", "traces", "explorer", "reports", "spec"},
    "real": {"language", "traces", "model", "invariants", "explorer", "audit"},
    "api": {"language", "traces", "model", "invariants", "explorer", "reports", "audit", "gates", "real"},
    "editor": {"language", "traces", "explorer", "reports", "api"},
    "cli": {"language", "traces", "model", "invariants", "explorer", "reports", "audit", "gates", "real"}
    | {"api", "editor", "spec"},
    "spec": set[str](),
}

TOP = (ROOT / "__init__.py", ROOT / "__main__.py")
FILES = sorted([*TOP, *(path for folder in ALLOWED for path in (ROOT / folder).rglob("*.py"))])
MACHINE = {
    ROOT / "explorer" / "native" / name
    for name in (
        "kernel.py",
        "projection_kernel.py",
        "initials_kernel.py",
        "walk_kernel.py",
        "shard_kernel.py",
        "edges_kernel.py",
        "graph_kernel.py",
    )
}
TYPED = [path for path in FILES if path not in MACHINE]
"""All but the files that are text for our own small compiler: without annotations, their values all being words."""

TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
LENGTHS = [*FILES, *TESTS, *sorted((ROOT / "bench").rglob("*.py"))]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def functions(path: Path) -> tuple[Function, ...]:
    return tuple(node for node in ast.walk(tree_of(path)) if isinstance(node, Function))


def test_files_have_at_most_600_lines() -> None:
    lines = {name_of(path): path.read_text(encoding="utf-8").count("\n") for path in LENGTHS}
    assert len(lines) > 500
    assert {name: count for name, count in lines.items() if count > 600} == {}, "split it where its story turns"


def test_functions_have_at_most_70_lines() -> None:
    assert [
        f"{name_of(path)}:{function.lineno}: {function.name}"
        for path in LENGTHS
        for function in functions(path)
        if (function.end_lineno or function.lineno) - function.lineno + 1 > 70
    ] == []


def test_everything_is_annotated() -> None:
    bare: list[str] = []
    for path in TYPED:
        for function in functions(path):
            arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            missing = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
            if missing or function.returns is None:
                bare.append(f"{name_of(path)}:{function.lineno}: {function.name}: {missing or 'what it returns'}")
    assert bare == []


def test_a_frozen_value_is_made_by_immutable() -> None:
    """A class that has fields of another, is compared by identity, or takes keywords alone, stays a dataclass."""
    classes = ((path, node) for path in TYPED for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef))
    assert [
        f"{name_of(path)}:{node.lineno}: {node.name}"
        for path, node in classes
        if not node.bases and any(map(_is_plain_frozen, map(ast.unparse, node.decorator_list)))
    ] == []


def _is_plain_frozen(decorator: str) -> bool:
    return "dataclass(frozen=True" in decorator and "eq=False" not in decorator and "kw_only=True" not in decorator


def test_a_docstring_names_an_exception_as_it_is_called() -> None:
    """`AbandonedError`, not `Abandoned`, where there is only the former."""
    trees = {path: list(ast.walk(tree_of(path))) for path in FILES}
    classes = {node.name for nodes in trees.values() for node in nodes if isinstance(node, ast.ClassDef)}
    short = {name.removesuffix("Error") for name in classes if name.endswith("Error")} - classes
    documented = (ast.FunctionDef, ast.ClassDef, ast.Module)
    wrong = {
        f"{name_of(path)}: {word}"
        for path, nodes in trees.items()
        for node in nodes
        if isinstance(node, documented)
        for word in short & set(re.findall(r"\w+", ast.get_docstring(node) or ""))
    }
    assert len(short) > 50 and wrong == set()


def test_every_module_has_a_docstring() -> None:
    assert [name_of(path) for path in TYPED if not ast.get_docstring(tree_of(path))] == []


def test_public_things_say_what_they_are() -> None:
    assert [
        f"{name_of(path)}:{statement.lineno}: {statement.name}"
        for path in TYPED
        for statement in tree_of(path).body
        if isinstance(statement, Function | ast.ClassDef)
        and not statement.name.startswith("_")
        and not speaks(statement)
    ] == []


def speaks(thing: Function | ast.ClassDef) -> bool:
    """A docstring, or something that needs none: an overload, or a data class whose fields say it all."""
    if ast.get_docstring(thing):
        return True
    if isinstance(thing, ast.ClassDef):
        return all(isinstance(statement, ast.AnnAssign) for statement in thing.body)
    return any(isinstance(node, ast.Name) and node.id == "overload" for node in thing.decorator_list)


@cache
def imported_modules(path: Path) -> tuple[tuple[str, str], ...]:
    return tuple(imports_in(path))


def imports_in(path: Path) -> Iterator[tuple[str, str]]:
    """(folder, module) of each import of ours, resolved from the file's place."""
    package = ("tidegate", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            full = (*base, *(node.module or "").split(".")) if node.module else base
            if full[:1] == ("tidegate",):
                for alias in node.names:
                    yield (full[1] if len(full) > 1 else alias.name, ".".join((*full, alias.name)))
        elif isinstance(node, ast.Import):
            yield from ((a.name.split(".")[1], a.name) for a in node.names if a.name.startswith("tidegate."))


def test_folders_import_downwards() -> None:
    """By `ALLOWED`, which says whom each folder may import."""
    folders = {path: path.relative_to(ROOT).parts[0] for path in FILES if path not in TOP}
    assert [
        f"{name_of(path)} imports {module}"
        for path, folder in folders.items()
        for target, module in imported_modules(path)
        if target != folder and target not in ALLOWED[folder]
    ] == []


def test_no_module_is_dead() -> None:
    """Every module is imported by another one or by a test, or the program starts there, or the catalogue or the table
    of verbs names it."""
    used = {
        module
        for path in [*FILES, *ROOT.glob("tests/**/*.py"), *ROOT.glob("bench/**/*.py")]
        for _, module in imported_modules(path)
    }
    tables = (ROOT / "invariants" / "catalogue.py", ROOT / "cli" / "verbs.py")
    text = "\n".join(table.read_text(encoding="utf-8") for table in tables)
    named = set(re.findall(r"tidegate\.[a-z_.]+", text))
    named |= {f"tidegate.model.{entry.room}" for entry in CATALOGUE.values()}
    entries = (*CATALOGUE.values(), *REFINEMENTS.values(), *LIVENESS_CLAIMS.values())
    named |= {f"tidegate.invariants.{entry.properties}" for entry in entries}
    dead: list[str] = []
    for path in FILES:
        module = ".".join(("tidegate", *path.relative_to(ROOT).with_suffix("").parts))
        mentioned = any(name == module or name.startswith(module + ".") for name in used | named)
        if path.name not in ("__init__.py", "__main__.py") and not mentioned:
            dead.append(module)
    assert not dead


def test_no_path_of_one_machine() -> None:
    """What is written here is true on every machine."""
    words = re.compile(r"(?<![\w.~*])/(?:home|root|[t]mp|[U]sers|work)/")
    found: list[str] = []
    prose = [page for page in ROOT.glob("**/*.md") if not {".venv", ".paths", "node_modules"} & set(page.parts)]
    for path in [*LENGTHS, *prose, *ROOT.glob("spec/*.toml"), ROOT / "pyproject.toml", ROOT / ".ci" / "run"]:
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [f"{name_of(path)}:{i}: {line.strip()}" for i, line in enumerate(lines, 1) if words.search(line)]
    assert not found


NAMED = sorted({path.relative_to(ROOT).parts[0] for path in FILES} | {"bench", "docs", "examples", "tests"})
"""Folders and files in which no variable is called `each`: a name says what the variable holds, as `action` does."""


def bound_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, name) of each variable that a text binds: by loops, comprehensions, parameters, patterns, assignments."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store(), lineno=line) | ast.arg(arg=name, lineno=line):
                yield line, name
            case (
                ast.MatchAs(name=str(name), lineno=line)
                | ast.MatchStar(name=str(name), lineno=line)
                | ast.MatchMapping(rest=str(name), lineno=line)
                | ast.ExceptHandler(name=str(name), lineno=line)
            ):
                yield line, name
            case _:
                pass


def test_variables_are_named_by_what_they_hold() -> None:
    files = {place: list((ROOT / place).rglob("*.py")) or [ROOT / place] for place in NAMED}
    assert [
        f"{name_of(path)}:{line}"
        for paths in files.values()
        for path in paths
        for line, name in bound_names(tree_of(path))
        if name == "each" and path != ROOT / "language" / "temporal.py"  # where it is a word of the language
    ] == [], "name it by what it holds"


@pytest.mark.parametrize(
    "text",
    [
        "for each in rows: pass",
        "for at, each in rows: pass",
        "[each for each in rows]",
        "found = any((each := row) for row in rows)",
        "key = lambda each: each",
        "def name(*each: str) -> None: pass",
        "with opened() as each: pass",
        "match rows:\n    case [*each]: pass",
        "match rows:\n    case {**each}: pass",
        "match rows:\n    case int() as each: pass",
        "try: pass\nexcept OSError as each: pass",
    ],
)
def test_a_name_is_found_wherever_it_is_bound(text: str) -> None:
    assert "each" in [name for _, name in bound_names(ast.parse(text))]


def test_examples_on_pages_name_variables_by_what_they_hold() -> None:
    found: list[str] = []
    for page in PAGES:
        if page.parent.name != "spec":  # made from the models
            blocks = re.findall(r"```.*?```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            found += [
                f"{name_of(page)}: {block}" for block in blocks if re.search(r"\b(for each in|lambda each)\b", block)
            ]
    assert not found


SCRIPTS = sorted((ROOT / "reports").rglob("*.js"))
USED_IN_SCRIPT = re.compile(r"\(each\b|\beach (=>|of )|\b(const|let) each\b|\[each\b|\beach\.")


def test_scripts_name_variables_by_what_they_hold() -> None:
    assert SCRIPTS
    assert [
        f"{name_of(path)}:{number}"
        for path in SCRIPTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if USED_IN_SCRIPT.search(line)
    ] == []


@pytest.mark.parametrize("text", ["rows.map((each) => 1)", "for (const each of rows) {}", "([each]) => 1", "each.name"])
def test_a_script_that_names_a_variable_each_is_found(text: str) -> None:
    assert USED_IN_SCRIPT.search(text)


@pytest.mark.parametrize("command", ["ruff check", "ruff format --check"])
def test_linters_are_content(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readmes_second_command_is_what_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.+)\n```", readme)
    assert len(commands) == 2, "one for the demonstration, one for the tests"
    assert commands[1] in [line.strip() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]


def test_ci_refuses_a_job_that_it_does_not_have() -> None:
    done = subprocess.run(["bash", ".ci/run", "lints"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "there is no job lints; they are: lint tests long gate\n",
    )


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "spec").glob("*.md")])


def dead_links(page: Path) -> list[str]:
    """The links of a page that lead to no file, apart from those to what the site makes."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = set(re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text))
    return sorted(link for link in links if not link.startswith("gallery/") and not (page.parent / link).exists())


def test_links_of_pages_lead_to_files(tmp_path: Path) -> None:
    assert {name_of(page): dead for page in PAGES if (dead := dead_links(page))} == {}
    page = tmp_path / "page.md"
    page.write_text("[one](none.md#part) [other](page.md) [made](gallery/none.html)", encoding="utf-8")
    assert dead_links(page) == ["none.md"]


TWO_SIDES_OF_ONE_THING = {"Map", "Seq"}
"""A type of the language, and its values."""


def shared_class_names(texts: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """Names of classes that several files define, and these files."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in texts.items():
        for thing in tree.body:
            if isinstance(thing, ast.ClassDef):
                places[thing.name].append(path)
    return {name: paths for name, paths in places.items() if len(paths) > 1}


def test_no_class_name_means_two_things() -> None:
    """Of all rooms; a model's classes are the words of its protocol, and those of tests stay in them."""
    texts = {name_of(path): tree_of(path) for path in [*FILES, *(ROOT / "bench").rglob("*.py")]}
    texts = {name: tree for name, tree in texts.items() if not name.startswith("model/")}
    shared = shared_class_names(texts)
    assert shared.keys() == TWO_SIDES_OF_ONE_THING, "give it the name of what it is of"


def test_a_class_name_that_means_two_things_is_found() -> None:
    texts = {"a.py": "class Case: pass\nclass Cell: pass", "b.py": "class Case: pass"}
    assert shared_class_names({name: ast.parse(text) for name, text in texts.items()}) == {"Case": ["a.py", "b.py"]}


PARTICIPLES = frozenset(
    re.findall(
        r"\w+",
        """
shown said found given known made taken told held kept lost met seen begun written drawn chosen left meant sent
done gone caught brought built bound shrunk hidden overridden thrown grown
""",
    )
)
PREPOSITIONS = frozenset(
    re.findall(
        r"\w+",
        """
about after against along among around at before behind below beneath beside between beyond by during except
in inside into near off on onto out outside over past through under until within without
""",
    )
)
NO_PARTICIPLE = frozenset({"heed", "need", "seed", "feed", "speed", "shed", "embed", "proceed"})
NAMES_WITH_A_REASON = {
    "language/declare.py:bound": "a decorator of the language",
    "language/ir.py:Quantified": "a node of logic that has this name everywhere",
    "api/auditing.py:AuditResult.met": "an answer of the API",
    "api/proving.py:ProofResult.proved": "an answer of the API",
    "api/simulating.py:Simulation.ended": "an answer of the API",
    "api/simulating.py:Simulation.violated": "an answer of the API",
    "tests/language/test_temporal.py:answered": "a claim of a model",
}
MODELS = ("examples", "model", "tests/fixtures")
"""Whose records are named as their messages are, `Prepared`: traces that people keep have these names."""


def says_nothing(name: str) -> bool:
    """Whether a name is a participle alone or begins with a preposition: it says not of what, or not what."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    first = words[0].lower() if words else ""
    is_participle = first in PARTICIPLES or (first.endswith("ed") and first not in NO_PARTICIPLE and len(first) > 3)
    return first in PREPOSITIONS or (len(words) == 1 and is_participle)


def definitions(body: Sequence[ast.stmt], inside: str = "") -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """(qualified name, definition) of the functions and classes of a text, methods among them; what a function defines
    for itself left out, as are overloads."""
    for thing in body:
        if isinstance(thing, Function | ast.ClassDef):
            yield inside + thing.name, thing
        if isinstance(thing, ast.ClassDef):
            yield from definitions(thing.body, f"{inside}{thing.name}.")


def is_named_otherwise(path: str, name: str, thing: Function | ast.ClassDef) -> bool:
    """Whether a name is none of ours: a statement about a model (`@invariant`), a model's message, the kind of node
    that a method is of, or one with a reason."""
    marks = {re.split(r"[.(]", ast.unparse(mark))[0] for mark in thing.decorator_list}
    is_message = isinstance(thing, ast.ClassDef) and path.startswith(MODELS)
    is_of_node = "." in name and thing.name.lstrip("_")[0].isupper() and isinstance(thing, Function)
    return bool(marks & MARKS) or is_message or is_of_node or f"{path}:{name}" in NAMES_WITH_A_REASON


def nameless(paths: Iterable[Path]) -> list[str]:
    return [
        f"{name_of(path)}:{thing.lineno}: {name}"
        for path in paths
        for name, thing in definitions(tree_of(path).body)
        if says_nothing(thing.name) and not is_named_otherwise(name_of(path), name, thing)
    ]


MARKS = frozenset(
    re.findall(
        r"\w+",
        """
action initial invariant transition reachable lemma terminal projection view leads_to always_eventually
eventually_always always_possible
""",
    )
)
"""Decorators of what is stated of a model: such a name is part of a sentence, `in_order` is violated."""


ROOMS = sorted(ALLOWED.keys() - {"spec"} | {"bench", "examples", "tests"})


@pytest.mark.parametrize("room", ROOMS)
def test_names_say_what_they_are(room: str) -> None:
    """Of every function, class and method."""
    paths = [path for path in (ROOT / room).rglob("*.py") if path not in MACHINE]
    assert paths and not nameless(paths), (
        "say of what, or what is done: `lost` is `lost_cells`, `_within_bounds` is `_answer_within_bounds`"
    )


def test_a_name_has_a_reason_only_while_it_is_there() -> None:
    known = {f"{name_of(path)}:{name}" for path in [*FILES, *TESTS] for name, _ in definitions(tree_of(path).body)}
    assert NAMES_WITH_A_REASON.keys() - known == set()


def test_a_method_that_says_nothing_is_found() -> None:
    text = "class Log:\n    def shown(self): pass\n    def _Quantified(self): pass\n@invariant\ndef in_order(s): pass\n"
    found = [
        (name, is_named_otherwise("traces/log.py", name, thing)) for name, thing in definitions(ast.parse(text).body)
    ]
    assert found == [("Log", False), ("Log.shown", False), ("Log._Quantified", True), ("in_order", True)]


@pytest.mark.parametrize("name", ["shown", "_named", "Unstated", "_within_bounds", "over"])
def test_a_name_that_says_nothing_is_found(name: str) -> None:
    assert says_nothing(name)


@pytest.mark.parametrize("name", ["shown_value", "lost_cells", "need", "bounds", "FairnessMet"])
def test_a_name_that_says_what_it_is_passes(name: str) -> None:
    assert not says_nothing(name)


def unsaid_fields(text: str) -> list[str]:
    """Fields of frozen values and dataclasses whose name says not of what; `left` has a `right` beside it, `until` a
    `since`, `out` an `err`, as pytest's captures have."""
    found: list[str] = []
    for thing in ast.walk(ast.parse(text)):
        if isinstance(thing, ast.ClassDef) and re.search(
            r"\b(?:immutable|dataclass)\b", " ".join(map(ast.unparse, thing.decorator_list))
        ):
            annotated = (part.target for part in thing.body if isinstance(part, ast.AnnAssign))
            names = [target.id for target in annotated if isinstance(target, ast.Name)]
            paired = {"left": "right" in names, "until": "since" in names, "out": "err" in names}
            found += [f"{thing.name}.{name}" for name in names if says_nothing(name) and not paired.get(name, False)]
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_fields_say_what_they_hold(room: str) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / room).rglob("*.py")}
    assert {name_of(path): found for path, text in texts.items() if (found := unsaid_fields(text))} == {}


def test_a_field_that_says_nothing_is_found() -> None:
    text = "@immutable\nclass Pair:\n    left: int\n    right: int\n    until: int\n    told: str\n    told_name: str\n"
    assert unsaid_fields(text) == ["Pair.until", "Pair.told"]


PAIRS = {
    "before": "after",
    "after": "before",
    "left": "right",
    "until": "since",
    "out": "err",
    "inside": "outside",
    "near": "far",
}
"""Parameters that say what they are by the other one beside them: the states `before` and `after` a step."""
PARAMETERS_WITH_A_REASON = {
    "api/checking.py:check(without)": "the command line's --without",
    "api/models.py:load(without)": "the command line's --without",
    "reports/trace/html/__init__.py:trace_html(around)": "what is around a page of one trace: the page's own word",
    "language/kinds.py:Domain.__init_subclass__(ordered)": "a word of the language: `class Node(Domain, ordered=True)`",
}
ROOMS_OF_PARAMETERS = sorted(set(ROOMS) - {"examples", "invariants", "model", "tests"})
"""All but models, whose parameters are words of their protocols, and tests."""


def unsaid_parameters(path: str, body: Sequence[ast.stmt]) -> list[str]:
    """Parameters of functions and methods whose name says not of what, or not what."""
    found: list[str] = []
    for name, thing in definitions(body):
        if isinstance(thing, Function):
            arguments = thing.args
            some = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            names = {argument.arg for argument in some if argument is not None}
            unsaid = sorted(one for one in names if says_nothing(one) and PAIRS.get(one) not in names)
            found += [f"{path}:{name}({one})" for one in unsaid]
    return [where for where in found if where not in PARAMETERS_WITH_A_REASON]


@pytest.mark.parametrize("room", ROOMS_OF_PARAMETERS)
def test_parameters_say_what_they_are(room: str) -> None:
    paths = [path for path in (ROOT / room).rglob("*.py") if path not in MACHINE]
    assert paths
    unsaid = [one for path in paths for one in unsaid_parameters(name_of(path), tree_of(path).body)]
    assert unsaid == [], "say of what: `given` is `given_settings`, `within` is `seconds`"


def test_a_parameter_that_says_nothing_is_found() -> None:
    text = "def merge(left, right, *found): pass\nclass Log:\n    def cut(self, at, *, before): pass\n"
    assert unsaid_parameters("a.py", ast.parse(text).body) == [
        "a.py:merge(found)",
        "a.py:Log.cut(at)",
        "a.py:Log.cut(before)",
    ]
