"""What a proof depends on besides the model: all of our text that makes formulas, and nothing that does not."""

from __future__ import annotations

from tidegate.explorer.smt.inputs import modules_imported, prover_digest


def test_every_module_that_makes_formulas_is_among_them() -> None:
    names = set(modules_imported())
    assert {f"tidegate.explorer.smt.{name}" for name in ("induction", "encoding", "expressions", "terms")} <= names
    assert not any(".cli." in name or ".reports." in name for name in names)
    assert all(path.is_file() for path in modules_imported().values())


def test_the_digest_is_the_same_each_time() -> None:
    assert prover_digest() == prover_digest() and len(prover_digest()) >= 32
