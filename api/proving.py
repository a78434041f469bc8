"""`prove`: that properties hold whatever the bounds, by induction with Z3."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..explorer.cache import cache_directory
from ..gates.records import known_violations, violations_elsewhere
from ..language.binding import Definition
from ..language.constants import Value
from ..language.errors import UsageError
from ..language.immutable import immutable
from ..language.model import Model
from ..language.proof import Proof
from ..reports.check.proof import counterexample_document, proof_document, proof_page
from ..reports.document import Document
from . import arguments
from .models import ModelChoice, bind_definition, find_definition, merge_constants
from .results import NOTEBOOK_FORMAT, Trace, preformatted_html

if TYPE_CHECKING:
    from ..explorer.smt.induction import Induction

NEEDS_Z3 = "prove needs z3-solver, which is not installed: pip install '.[prove]' in the clone"


@immutable
class ProofResult:
    """What a proof came to. `proof` has every obligation with its finding."""

    model: Model
    proof: Proof

    @property
    def word(self) -> str:
        """One word for all of it: `proved` only if everything that was asked for is."""
        return self.proof.word

    @property
    def proved(self) -> bool:
        """Whether everything that was asked for is proved."""
        return self.proof.word == "proved"

    @property
    def counterexamples(self) -> tuple[Trace, ...]:
        """The counterexamples to induction, as traces."""
        return tuple(
            Trace(counterexample_document(finding)) for finding in self.proof.findings if finding.counterexample
        )

    def document(self) -> Document:
        """The result as `tidegate prove --json` prints it."""
        return proof_document(self.proof, {})

    def __repr__(self) -> str:
        """One line, for a prompt; `print` shows everything."""
        return f"<ProofResult: {self.proof.model}: {self.word}>"

    def __str__(self) -> str:
        return proof_page(self.proof, NOTEBOOK_FORMAT).text()

    def _repr_html_(self) -> str:
        return preformatted_html(str(self))


def prove(
    model: str | Path,
    *,
    lemmas: str | Iterable[str] = (),
    properties: str | Iterable[str] = (),
    workers: int = 2,
    time: float | None = None,
    seed: int = 0,
    cache: bool = True,
    constants: Mapping[str, Value | str] | None = None,
    **more_constants: Value | str,
) -> ProofResult:
    """Proves a model by induction on its lemmas: `prove("replication:kip320", replicas=5).proved`.

    `lemmas` and `properties` name what to prove; without names it is all of both. `time` is in seconds, for everything.
    Raises UsageError, ModelErrors, and NotUnboundedError or UnsayableError for a text that has no meaning without
    bounds."""
    given = merge_constants(constants, more_constants)
    arguments.check_seconds("time", time)
    arguments.check_whole_number("workers", workers, 1)
    arguments.check_whole_number("seed", seed, 0)
    by, goals = arguments.check_names("lemmas", lemmas), arguments.check_names("properties", properties)
    choice = ModelChoice(str(arguments.check_path("model", model)), tuple(given.items()), properties=goals)
    definition, bound = bind_for_proof(choice)
    asked = {"lemmas": by, "properties": goals, "seconds": time, "workers": workers}
    return ProofResult(bound, prepare_induction(definition, bound, asked, seed=seed, cache=cache).prove(lambda _: None))


def bind_for_proof(choice: ModelChoice) -> tuple[Definition, Model]:
    """A definition and its model with all lemmas and properties bound. UsageError when it has no lemmas."""
    definition, profile = find_definition(choice.model)
    everything = definition.names("invariant", "transition", "reachable", "lemma")
    if not definition.names("lemma"):
        raise UsageError(
            f"{choice.model} has no lemmas to prove it by; docs/proofs.md says how to write them, marked @lemma"
        )
    whole = dataclasses.replace(choice, properties=everything, ghosts=True)
    return definition, bind_definition(definition, profile, whole, lemmas=True)


def prepare_induction(
    definition: Definition, model: Model, asked_request: Mapping[str, Any], *, seed: int = 0, cache: bool = True
) -> Induction:
    """The proof that is to be made, its obligations known. UsageError, with what installs it, when z3 is missing."""
    try:
        from ..explorer.smt.induction import Induction, ProofRequest
        from ..explorer.smt.unbounded import boundless_constants
    except ModuleNotFoundError as error:
        if error.name != "z3":
            raise
        raise UsageError(NEEDS_Z3) from None
    boundless = boundless_constants(definition, model)
    request = ProofRequest(
        **asked_request,
        seed=seed,
        folder=cache_directory() if cache else None,
        known_violations=known_violations(definition, model, boundless),
        violations_elsewhere=violations_elsewhere(definition, model, boundless),
    )
    return Induction(definition, model, request, boundless=boundless)
