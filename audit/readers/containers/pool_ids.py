"""Which nodes of Strimzi's pools have which ids: the operator gives each new node the lowest that is free, whichever
pool comes first, so that the order in a file says nothing; a pool's status has them (strimzi.io, node pools)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...cluster.statements import Origin
from ..parsed_file import Part, parse_numbers
from ..yamls import Tree

_NEXT = "strimzi.io/next-node-ids"
"""An annotation with the ids that new nodes of a pool get: `[0-2, 7]`."""

MOST = 1000
"""Nodes of one pool."""

Pool = tuple[str, Tree]
"""A pool with its file."""


def ids_of_pools(
    part: Part, pools: Sequence[Pool], counts: Sequence[int], *, is_described: bool
) -> list[tuple[int, ...]]:
    """The ids of each pool's nodes: as its status says, else as its annotation does, else the lowest that are free.
    `is_described`: something that is read calls nodes by their ids, so that these are not left to chance."""
    stated = [_stated_ids(pool, count) for (_, pool), count in zip(pools, counts, strict=True)]
    for (path, pool), count, ids in zip(pools, counts, stated, strict=True):
        if ids is not None and len(ids) != count:
            what = f"KafkaNodePool {_pool_name(pool)} asks for {count} nodes, and {len(ids)} have ids"
            to_do = "wait until the operator has made or removed them, and give the resource as it is then"
            part.note("incomplete", "error", what, Origin(path, pool.line), to_do)
    given = {id_ for ids in stated if ids is not None for id_ in ids}
    free = (number for number in range(MOST * len(pools) + len(given)) if number not in given)
    without = [number for number, ids in enumerate(stated) if ids is None]
    made = {
        n: tuple(next(free) for _ in range(counts[n])) for n in sorted(without, key=lambda n: _pool_name(pools[n][1]))
    }
    unlike = len({_likeness_key_of_pool(pools[n][1]) for n in range(len(pools))}) > 1
    if is_described and without and unlike:
        path, pool = pools[without[0]]
        what = f"no file says which ids the nodes of KafkaNodePool {_pool_name(pool)} have, "
        what += "and a description names them so"
        to_do = "give what `kubectl get kafkanodepool -o yaml` prints, whose status has them"
        part.note("incomplete", "error", what, Origin(path, pool.line), to_do, "strimzi.io, status.nodeIds")
    return [made[n] if ids is None else ids for n, ids in enumerate(stated)]


def _stated_ids(pool: Tree, count: int) -> tuple[int, ...] | None:
    listed = pool.get("status", "nodeIds")
    if listed is not None:
        return tuple(sorted({*parse_numbers(" ".join(leaf.value for leaf in listed.leaves()))}))
    notes = pool.get("metadata", "annotations")
    text = next((sub.text() for key, sub in notes.items() if key == _NEXT), None) if notes is not None else None
    ids = tuple(_ids_of_ranges(text or ""))[:count]
    return ids if len(ids) == count and count else None


def _ids_of_ranges(text: str) -> Iterator[int]:
    """`0, 1, 2, 7` of `[0-2, 7]`; a range may go downwards."""
    for found in re.finditer(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?", text):
        first, last = int(found[1]), int(found[2] or found[1])
        step = 1 if last >= first else -1
        yield from range(first, last + step, step) if abs(last - first) < MOST else ()


def _pool_name(pool: Tree) -> str:
    return pool.text("metadata", "name") or ""


def _likeness_key_of_pool(pool: Tree) -> str:
    """What of a pool makes its nodes like another one's: where they are, they may change their ids."""
    spec = pool.get("spec")
    kept: Mapping[str, Tree] = dict(spec.items()) if spec is not None else {}
    told = {key: [(leaf.path[2:], leaf.value) for leaf in kept[key].leaves()] for key in sorted(kept)}
    return str({key: value for key, value in told.items() if key != "replicas"})
