"""Which model a file belongs to, and unsaved text among what is saved."""

from __future__ import annotations

from pathlib import Path

from tidegate.editor.files import editor_text, model_file_of, overlay_unsaved_texts

WHOLE = "from tidegate.language import state\nfrom part import x\n@state\nclass S: pass\n@action\ndef a(): pass\n"
PART = "from tidegate.language import require\nfrom further import y\n"
USES = "from tidegate.language import refines\nfrom whole import S\n"


def test_a_file_belongs_to_the_model_that_imports_it(tmp_path: Path) -> None:
    whole, part, other = tmp_path / "whole.py", tmp_path / "part.py", tmp_path / "other.py"
    whole.write_text(WHOLE, encoding="utf-8")
    part.write_text(PART, encoding="utf-8")
    (tmp_path / "uses.py").write_text(USES, encoding="utf-8")
    assert model_file_of(whole, {}) == whole
    assert model_file_of(part, {}) == tmp_path / "uses.py"
    (tmp_path / "uses.py").unlink()
    assert model_file_of(part, {}) == whole
    assert model_file_of(other, {other: "import os\n"}) is None
    assert model_file_of(other, {other: "from tidegate.language import state\n"}) == other
    assert model_file_of(other, {other: "from tidegate.language import state\nfrom .part import x\n"}) is None
    assert model_file_of(tmp_path / "notes.txt", {tmp_path / "notes.txt": WHOLE}) is None
    assert (editor_text(other, {}), editor_text(part, {part: "new"}), editor_text(part, {})) == ("", "new", PART)


def test_unsaved_texts_are_read_among_those_that_are_saved(tmp_path: Path) -> None:
    for name, text in (("whole.py", WHOLE), ("part.py", PART), ("further.py", "y = 1\n"), ("new.py", "z = 1\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    whole, part = tmp_path / "whole.py", tmp_path / "part.py"
    with overlay_unsaved_texts(whole, {whole: WHOLE}) as same:
        assert same.folder == same.saved_folder == tmp_path
    with overlay_unsaved_texts(whole, {part: "from new import z\n"}) as made:
        names = {path.name: path.read_text(encoding="utf-8") for path in made.folder.iterdir()}
        assert names.items() >= {("whole.py", WHOLE), ("part.py", "from new import z\n"), ("new.py", "z = 1\n")}
        assert made.saved_path(made.read(part)) == part
        assert made.saved_path(Path("/elsewhere/part.py")) == Path("/elsewhere/part.py")
    assert not made.folder.exists() and part.read_text(encoding="utf-8") == PART
