"""The extension of VS Code: its types, and its package, which has all that it is started with."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from tidegate.editor.session import CHECK

from ..conftest import ROOT

EXTENSION = ROOT / "editors" / "vscode"
MINUTES = 10 * 60
"""Seconds for what npm fetches."""


def npm_run(folder: Path, *command: str) -> str:
    """What a command of npm's prints; it must end well."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=MINUTES)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.timeout(3 * MINUTES)
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm, which packs the extension, is not installed")
def test_it_is_type_checked_and_packed(tmp_path: Path) -> None:
    folder = tmp_path / "vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    npm_run(folder, "npm", "ci", "--no-audit", "--no-fund")
    npm_run(folder, "npx", "tsc", "--noEmit")
    source = folder / "src" / "extension.ts"
    right = source.read_text(encoding="utf-8")
    source.write_text(right.replace("client.start()", "client.begin()"), encoding="utf-8")
    with pytest.raises(AssertionError, match="Property 'begin' does not exist"):
        npm_run(folder, "npx", "tsc", "--noEmit")
    source.write_text(right, encoding="utf-8")
    npm_run(folder, "npx", "vsce", "package", "--allow-missing-repository", "--skip-license")
    with zipfile.ZipFile(folder / "tidegate-0.1.0.vsix") as packed:
        names = packed.namelist()
        manifest = json.loads(packed.read("extension/package.json"))
    assert "extension/out/extension.js" in names and manifest["main"] == "./out/extension.js"
    assert "extension/node_modules/vscode-languageclient/node.js" in names
    assert not [name for name in names if name.startswith("extension/src/")]


def test_it_saves_before_the_check_that_the_server_has() -> None:
    """The text names the server's command, and the manifest the setting that the text reads."""
    text = (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    assert f'const CHECK = "{CHECK}";' in text
    assert set(manifest["contributes"]["configuration"]["properties"]) == {"tidegate.command"}
    assert [command["command"] for command in manifest["contributes"]["commands"]] == ["tidegate.restart"]
