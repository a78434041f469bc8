"""The verbs of the command line: the name, the module, and what `tidegate --help` says of each.

Nothing else of ours is imported here, so that `tidegate --help` and `--version` answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn


def parse_path(text: str) -> Path:
    """A path of this machine, and no URI."""
    from ..language.errors import UsageError  # here, since --help and --version need nothing of the language
    from ..language.paths import local_path

    try:
        return local_path(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class Parser(argparse.ArgumentParser):
    """A parser that reports a mistake as `UsageError`, so that every mistake ends with the same exit. Each argument of
    `type=Path` is read by `parse_path`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.register("type", Path, parse_path)

    def error(self, message: str) -> NoReturn:
        from ..language.errors import UsageError  # here, since --help and --version need nothing of the language

        raise UsageError(f"{message}\ntry: {self.prog} --help")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]  # of overloads
        """The arguments, read. UsageError, with the nearest option and this verb's help, for what is none."""
        read, unknown = super().parse_known_args(args, namespace)
        if unknown:
            from ..language.errors import suggest_name

            options = [name for name in self._option_string_actions if name.startswith("--")]
            name = next((text.partition("=")[0] for text in unknown if text.startswith("--")), None)
            near = "" if name is None else suggest_name(name, options)
            hint = f"; {near}" if near.startswith("did you mean") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return read, unknown


Verbs = argparse._SubParsersAction  # pyright: ignore[reportPrivateUsage]  # the only name that argparse gives this type


class Verb(NamedTuple):
    """A verb: its module, whose `add` adds it to a parser, and what it does in a few words."""

    module: str
    says: str


VERBS: Mapping[str, Verb] = {
    "audit": Verb("tidegate.cli.audit", "your cluster's configuration: what can be lost, and how"),
    "demo": Verb("tidegate.cli.demo", "a real loss found and shown, and its fix checked"),
    "models": Verb("tidegate.cli.models", "the models, their constants, profiles and properties"),
    "check": Verb("tidegate.cli.check", "explore a model exhaustively within its bounds"),
    "sweep": Verb("tidegate.cli.sweep", "a check for each combination of constants, as a table"),
    "prove": Verb("tidegate.cli.prove", "prove a model by induction, whatever its bounds"),
    "replay": Verb("tidegate.cli.replay", "take given steps in plain Python"),
    "simulate": Verb("tidegate.cli.simulate", "one run of a model, drawn with a seed"),
    "explore": Verb("tidegate.cli.explore", "choose the steps yourself, and see what comes of them"),
    "show": Verb("tidegate.cli.show", "print a saved trace, or make a page of it"),
    "export": Verb("tidegate.cli.export", "a trace or a state graph for other tools"),
    "explain": Verb("tidegate.cli.explain", "what a model or one of its actions means"),
    "validate": Verb("tidegate.cli.validate", "a real cluster's history: is it a run of the model?"),
    "confirm": Verb("tidegate.cli.confirm", "a trace, taken by real brokers: is it so in Kafka?"),
    "conform": Verb("tidegate.cli.conform", "Kafka's own code beside the model: do they differ?"),
    "hunt": Verb("tidegate.cli.hunt", "random schedules on Kafka's own code: what fails?"),
    "gate": Verb("tidegate.cli.gate", "check everything recorded and compare"),
    "lsp": Verb("tidegate.cli.lsp", "the language server, for editors"),
    "spec": Verb("tidegate.cli.spec", "the models in mathematical notation"),
    "glossary": Verb("tidegate.cli.glossary", "what a word means here"),
    "doctor": Verb("tidegate.cli.doctor", "what works on this machine, and what is missing"),
}
"""Every verb by its name. Only the verb that is asked for is imported: all of them take longer than some do."""

EPILOG = """\
exit codes
  0  holds, proved; gate: all as expected 5  inconclusive, not proved: out of time or memory, or interrupted
  1  a property is violated, or refuted   6  gate: a result differs from what is recorded
  2  deadlock                             7  a step broke the model's own types
  3  a property of liveness is violated  64  usage; replay: a step is disabled
  4  vacuous: what was asked is so only  65  the model's text is wrong
     because nothing happens             66  a file cannot be read, or is damaged
  8  prove: it rests on lemmas that are  69  what is needed cannot be had: Java, Maven, a download
     not proved                          70  internal error, or engine and Python disagree
"""


class _VersionAction(argparse.Action):
    """Prints the version and its commit, which take a moment to look up, only when they are asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from ..traces.program import tool_commit, tool_version

        commit = tool_commit()
        print(f"{tool_version()} ({commit})" if commit else tool_version())
        parser.exit()


class _CompletionAction(argparse.Action):
    """Prints a shell's completion."""

    def __call__(self, parser: argparse.ArgumentParser, _namespace: object, values: object, *_: object) -> NoReturn:
        from .completion import completion_script

        whole, verbs = empty_parser()
        for verb in VERBS.values():
            import_module(verb.module).add(verbs)
        print(completion_script(whole, str(values)))
        parser.exit()


def command_parser(verb: str | None = None) -> Parser:
    """The command line with the options of one verb; without a verb, all of them by name alone."""
    made, verbs = empty_parser()
    for name, entry in VERBS.items():
        if name == verb:
            import_module(entry.module).add(verbs)
        else:
            verbs.add_parser(name, help=entry.says)
    return made


def empty_parser() -> tuple[Parser, Verbs[Parser]]:
    """The command line without its verbs, and where they are added."""
    made = Parser(
        prog="tidegate",
        description="Protocols written as plain Python, explored exhaustively by native code.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action=_VersionAction, nargs=0, help="show the version and exit")
    made.add_argument(
        "--print-completion", action=_CompletionAction, choices=("bash", "zsh", "fish", "tcsh"), metavar="SHELL",
        help="print what completes verbs and options in a shell and exit: bash, zsh, fish or tcsh",
    )  # fmt: skip
    return made, made.add_subparsers(metavar="VERB", required=True, parser_class=Parser)


def add_verb(verbs: Verbs[Parser], name: str, help_text: str, examples: str) -> Parser:
    """A verb's parser, its help ending in examples."""
    return verbs.add_parser(
        name,
        help=VERBS[name].says,
        description=help_text,
        epilog=f"examples:\n{examples.rstrip()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
