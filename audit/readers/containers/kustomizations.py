"""Patches of Kustomize, which are a part of a resource and no resource (kubernetes.io, Kustomization): taken for one,
they would be a second cluster, with all that they leave out at its default."""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from ...cluster.statements import Unread
from .. import yamls
from ..texts import InputText

_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("patches", "patchesStrategicMerge", "patchesJson6902")


def split_patches(texts: Sequence[InputText]) -> tuple[list[InputText], list[Unread]]:
    """The texts that are no patches, and what is said of each that is one. What the user named is read as it is."""
    builders: dict[str, str] = {}
    for path, text, _ in texts:
        if PurePath(path).name in _NAMES:
            folder = os.path.dirname(path)
            builders.update({os.path.normpath(os.path.join(folder, name)): folder for name in _patch_files(text)})
    rest: list[InputText] = []
    unread: list[Unread] = []
    for path, text, named in texts:
        folder = None if named else builders.get(os.path.normpath(path))
        if folder is None:
            rest.append((path, text, named))
        else:
            reason = "it is a patch, which becomes a part of a resource when kustomize builds it"
            to_do = f"kustomize build {folder or '.'} > built.yaml, and give that alone"
            unread.append(Unread(path, reason, may_be_configuration=True, to_do=to_do))
    return rest, unread


def _patch_files(text: str) -> Iterator[str]:
    """The files that a kustomization names as patches."""
    try:
        trees = yamls.yaml_documents(text)
    except yamls.YamlError:
        return
    for listed in (found for tree in trees for key in _LISTS if (found := tree.get(key)) is not None):
        for _, entry in listed.items():
            path = entry.text() or entry.text("path")
            if path is not None and "\n" not in path:
                yield path
