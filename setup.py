"""What pyproject.toml cannot say: a distribution carries the commit that it was built from."""

from __future__ import annotations

import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

COMMIT = "commit.txt"
ROOT = Path(__file__).parent


def commit_text() -> str:
    """The commit of the files beside this one: of their clone, or as the archive says that they came in."""
    if not (ROOT / ".git").exists():
        return (ROOT / COMMIT).read_text(encoding="ascii") if (ROOT / COMMIT).exists() else ""
    command = ["git", "describe", "--always", "--abbrev=7", "--dirty", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


class BuildWithCommit(build_py):
    """The package, with its commit and without this file, which lies where the package begins."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        return [module for module in super().find_package_modules(package, package_dir) if module[1] != "setup"]

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            Path(self.build_lib, "tidegate", COMMIT).write_text(commit_text(), encoding="ascii")


class ArchiveWithCommit(sdist):
    """The archive of sources, with its commit."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        Path(base_dir, COMMIT).write_text(commit_text(), encoding="ascii")


setup(cmdclass={"build_py": BuildWithCommit, "sdist": ArchiveWithCommit})
