"""Which modules hold a model's text."""

from __future__ import annotations

from importlib import import_module

from tidegate.language.errors import Diagnostics
from tidegate.language.text_modules import abstract_modules, domains_of, marked_functions, modules_of
from tidegate.language.user_files import import_file

from ..conftest import ROOT


def test_a_model_of_one_file_is_that_module() -> None:
    module = import_file(ROOT / "examples" / "lock.py", Diagnostics())
    assert modules_of(module) == (module,) and abstract_modules(module) == ()
    assert [function.__name__ for function, _ in marked_functions(module)][:2] == ["start", "look"]
    assert [domain.__name__ for domain in domains_of(module)] == ["Client"]


def test_a_model_of_several_files_lists_them_before_itself() -> None:
    module = import_module("tidegate.model.kraft")
    assert modules_of(module) == (*vars(module)["modules"], module) and len(vars(module)["modules"]) > 1


def test_the_abstract_model_is_the_one_that_is_refined() -> None:
    module = import_file(ROOT / "examples" / "two_phase.py", Diagnostics())
    (abstract,) = abstract_modules(module)
    assert str(abstract.__file__).endswith("tcommit.py")
