"""What the gate does with a `[[prove]]`: the command line, and what came out of it compared with the record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ..reports.check.proof import SCHEMA
from .records import ProofRecord, set_argument

_UNCLAIMED_GROUPS = (("unstated", "not stated"), ("left_out", "left out"), ("known_false", "known false"))


def prove_arguments(entry: ProofRecord, seconds: float | None) -> list[str]:
    """The command line that proves a model, for at most so many seconds (None: as long as it takes)."""
    sets = [part for name, value in entry.constants.items() for part in ("--set", f"{name}={set_argument(value)}")]
    limit = [] if seconds is None else ["--time", str(seconds)]
    asked = [part for name in entry.properties for part in ("--property", name)] if entry.only else []
    named = ["--lemma", "all", *asked] if entry.only else []
    return ["prove", entry.target, *sets, *named, *limit, "--workers", "1", "--json"]


def proof_report(text: str) -> Mapping[str, Any] | None:
    """The report of a proof, whole; None where the text is another."""
    try:
        read = json.loads(text)
    except json.JSONDecodeError:
        return None
    is_proof = isinstance(read, dict) and cast("dict[str, Any]", read).get("schema") == SCHEMA
    return cast("dict[str, Any]", read) if is_proof else None


def proof_words(report: Mapping[str, Any]) -> Mapping[str, str]:
    """The word for each property of a proof, those of which nothing is claimed among them."""
    words = {prop["name"]: prop["verdict"] for prop in report["properties"]}
    for key, word in _UNCLAIMED_GROUPS:
        words |= {prop["name"]: word for prop in report[key] if prop["name"] not in words}
    return words


def proof_differences(entry: ProofRecord, report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a proof says otherwise than is recorded: the property, or "outcome" for all of it, and a sentence."""
    words = proof_words(report)
    for name, wanted in entry.properties.items():
        found = words.get(name)
        if found is None:
            yield name, f"{name}: the model has no such property"
        elif found != wanted:
            yield name, f"{name}: recorded {wanted}, found {found}"
    if report["verdict"] != entry.verdict:
        open_ = [
            _obligation_sentence(obligation)
            for obligation in report["obligations"]
            if obligation["verdict"] != "proved"
        ]
        why = "; ".join([*open_, *(goal["reason"] for goal in report["vacuous"])][:3])
        yield "outcome", f"verdict: recorded {entry.verdict}, found {report['verdict']}" + f": {why}" * bool(why)


def _obligation_sentence(obligation: Mapping[str, Any]) -> str:
    """`step follow in_order refuted`."""
    parts = (obligation["kind"], obligation["action"], obligation["goal"], obligation["verdict"])
    return " ".join(part for part in parts if part)
