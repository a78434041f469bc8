"""Which compose files stand for themselves, and which go into others: what a file includes or extends, and the override
file beside it (Merge Compose files)."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePath

from ...cluster.statements import Origin
from .. import yamls
from ..parsed_file import Part
from ..yamls import Tree
from .compose_projects import CONFIG, Load, Project, one_document

MAIN = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
"""The names that Compose looks for; of several in one folder the first."""

OVERRIDE = (
    "compose.override.yml",
    "compose.override.yaml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
)
"""The names of what it merges into that file; of several in one folder the first."""


def override_beside(path: Path, paths: Iterable[Path]) -> Part | None:
    """What is said where a compose file is given alone, and an override file lies beside it; else None."""
    found = next((name for name in OVERRIDE if path.name in MAIN and path.with_name(name).is_file()), None)
    return None if found is None or path.with_name(found) in paths else unmerged_override(str(path.with_name(found)))


def unmerged_override(path: str) -> Part:
    """What is said of an override file that is merged into no file that was given."""
    part = Part("docker-compose override")
    what = f"{path} was not read: `docker compose up` merges it into the compose file beside it"
    part.note("incomplete", "error", what, Origin(path), CONFIG)
    return part


_AT_ROOT = re.compile(r"^[\"']?(services|include)[\"']?\s*:|[{,]\s*[\"']?(services|include)[\"']?\s*:", re.M)
"""Where a document may be one of compose's, which is seen before it is parsed."""


def compose_document(path: str, text: str) -> Tree | None:
    """A compose file's document; None if a text is none, or is no YAML."""
    if Path(path).suffix.lower() not in (".yaml", ".yml", ".json") or not _AT_ROOT.search(text):
        return None
    try:
        trees = yamls.yaml_documents(text, path)
    except yamls.YamlError:
        return None
    return one_document(trees) if any(tree.get("services") or tree.get("include") for tree in trees) else None


Whole = tuple[str, Tree, Part]
"""A file that stands for itself: its path, its document with all that went into it, and what was not read."""


def read_projects(
    documents: Mapping[str, Tree],
    texts: Mapping[str, str],
    read: Callable[[Path], str],
    named_paths: Collection[str] = (),
) -> tuple[list[Whole], Mapping[str, Part]]:
    """The files that stand for themselves, and of each other one what is said of it. `texts` are those that were given;
    what they name beyond these is read from where it lies. `named_paths` are those that the user gave by name."""
    passed_over = _parts_of_passed_over_files(documents, named_paths)
    documents = {path: tree for path, tree in documents.items() if path not in passed_over}
    overriding = _override_files(documents)
    merged = {other for others in overriding.values() for other in others}
    load = _file_loader(texts, read)
    found: dict[str, tuple[Project, Tree]] = {}
    for path, tree in documents.items():
        if path not in merged and PurePath(path).name not in OVERRIDE:
            project = Project(load)
            later = [(other, documents[other]) for other in overriding.get(path, ())]
            found[path] = project, project.merged_document(path, tree, later)
    taken = {name for project, _ in found.values() for name in project.source_files}
    alone = [path for path in found if os.path.normpath(path) not in taken or PurePath(path).name in MAIN] or [*found]
    for path in alone:
        _note_environment(found[path][0].part, path, load)
    rest = {path: part for path, part in passed_over.items() if os.path.normpath(path) not in taken}
    rest |= {path: Part(MERGED) for path in passed_over if path not in rest}
    for path in documents:
        if path not in alone:
            into = path in merged or path in found
            rest[path] = Part(MERGED) if into else unmerged_override(path)
    return [(path, found[path][1], found[path][0].part) for path in alone], rest


MERGED = "docker-compose, merged into another file"


def _parts_of_passed_over_files(documents: Mapping[str, Tree], named_paths: Collection[str]) -> Mapping[str, Part]:
    """What is said of the files of a folder that `docker compose up` does not take, since another name comes first."""
    found: dict[str, Part] = {}
    for folder in dict.fromkeys(os.path.dirname(path) for path in documents):
        mine = {PurePath(path).name: path for path in documents if os.path.dirname(path) == folder}
        first, *others = [mine[name] for name in MAIN if name in mine] or [""]
        for path in (other for other in others if other not in named_paths):
            part = found[path] = Part("docker-compose, passed over")
            what = f"{path} was not read: of the compose files in one folder `docker compose up` takes {first} alone"
            to_do = f"give {path} by its name if it is the one that runs (docker compose -f), or remove it"
            part.note("not_read", "warning", what, Origin(path), to_do, "docs.docker.com, How Compose works")
    return found


def _note_environment(part: Part, path: str, load: Load) -> None:
    """The finding that `.env` beside a compose file names the files that Compose takes."""
    other = os.path.normpath(PurePath(path).parent / ".env")
    if re.search(r"^\s*(export\s+)?COMPOSE_FILE\s*=", load(other) or "", re.M):
        what = f"{other} sets COMPOSE_FILE, so that `docker compose up` takes other files than {path} alone"
        part.note("incomplete", "error", what, Origin(other), CONFIG)


def _override_files(documents: Mapping[str, Tree]) -> Mapping[str, Sequence[str]]:
    """The override file of each compose file that has one in its folder."""
    found: dict[str, list[str]] = {}
    for folder in dict.fromkeys(os.path.dirname(path) for path in documents):
        mine = {PurePath(path).name: path for path in documents if os.path.dirname(path) == folder}
        main = next((mine[name] for name in MAIN if name in mine), None)
        other = next((mine[name] for name in OVERRIDE if name in mine), None)
        if main is not None and other is not None:
            found[main] = [other]
    return found


def _file_loader(texts: Mapping[str, str], read: Callable[[Path], str]) -> Load:
    given = {os.path.normpath(path): text for path, text in texts.items()}

    def load(path: str) -> str | None:
        return given[path] if path in given else read(Path(path)) if Path(path).is_file() else None

    return load
