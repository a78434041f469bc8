"""Charts of Helm, which become configuration when they are rendered: one thing is said of each, however many files it
has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from ...cluster.statements import Unread
from ..texts import InputText
from . import scripts

_OF_CHART = re.compile(r"(Chart\.yaml|requirements\.yaml|values[^/]*\.ya?ml|(templates|charts|crds|files|ci)/.*)")
"""What of a chart's folder goes into what it renders. Whatever else lies there is read as it is."""

_ABOUT = re.compile(r"\b(kafka|strimzi|cp-helm-charts|redpanda|zookeeper)\b", re.I)
_VALUES = "values become configuration"


def split_charts(texts: Sequence[InputText]) -> tuple[list[InputText], list[Unread]]:
    """The texts that are of no chart, and what is said of each chart, those within another one not counted. What the
    user named is read by itself."""
    folders = [
        path[: -len("Chart.yaml")] for path, _, named in texts if PurePath(path).name == "Chart.yaml" and not named
    ]
    outer = [folder for folder in folders if not any(_is_within(folder, other) for other in folders)]
    of: dict[str, list[tuple[str, str]]] = {folder: [] for folder in outer}
    rest: list[InputText] = []
    for path, text, named in texts:
        folder = next((one for one in outer if path.startswith(one) and _OF_CHART.fullmatch(path[len(one) :])), None)
        if folder is None or named:
            rest.append((path, text, named))
        else:
            of[folder].append((path, text))
    return rest, [_unread_chart(folder, files) for folder, files in of.items()]


def _is_within(folder: str, other: str) -> bool:
    """Whether a chart is part of another one."""
    return folder != other and folder.startswith(other) and _OF_CHART.fullmatch(folder[len(other) :]) is not None


def _unread_chart(folder: str, files: Sequence[tuple[str, str]]) -> Unread:
    head = next((text for path, text in files if path == f"{folder}Chart.yaml"), "")
    may = _ABOUT.search(head) is not None or any(scripts.sets_up_kafka(text) for _, text in files)
    place = folder.rstrip("/") or "."
    built = any(path.startswith(f"{folder}charts/") for path, _ in files)
    needs = "" if built or not re.search(r"^dependencies:", head, re.M) else f"helm dependency build {place} && "
    values = sorted(path for path, _ in files if re.fullmatch(r"values.+\.ya?ml", path[len(folder) :]))
    chosen = f" -f {values[0]}" if len(values) == 1 else f" -f ONE OF {', '.join(values)}" if values else ""
    to_do = f"{needs}helm template NAME {place}{chosen} > rendered.yaml, and give that"
    return Unread(
        place, f"a chart and its {_VALUES} only when they are rendered", may_be_configuration=may, to_do=to_do
    )


def weaken_beside_rendered(unread: Unread) -> Unread:
    """A chart or values beside what they render say nothing more."""
    return replace(unread, may_be_configuration=False) if _VALUES in unread.reason else unread
