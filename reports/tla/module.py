r"""All of a model as a module of TLA+, and a configuration with which TLC runs it.

    exported = export_to_tla(model)
    exported.module            `---- MODULE lock ----` and so on
    exported.configuration     what lock.cfg holds

The text names constants, so that one module serves all bounds: bind the model with its constants open. Guards of the
bounds (`limit`, `@bound`) are guards of actions here: TLC explores the states that our engines do, and none beyond.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from textwrap import wrap

from ...language import ir
from ...language.declare import Fairness
from ...language.forms import Parameter
from ...language.immutable import immutable
from ...language.model import Action, Initial, Liveness, Model, Property, Refinement
from ...language.types import Bool, Enumeration, Identity, Map, Option, Pool, Record, Seq, Subset, Type
from ..spec.notation import named_types, traverse_form
from .actions import action_term, initial_term
from .expressions import expression_formula
from .functions import Operators, bind_all, returned_value
from .names import Names, free_name
from .terms import ATOM, FlatFormula, Term, flat_text, lay_out, lay_out_parts
from .values import NotInTLAError, member_text, set_text

_WIDTH = 100
_HARD_SPACE = "\u00a0"
"""What no line is broken at: a space in a string."""

_LIBRARY = {
    "Min": ["Min(a, b) == IF a < b THEN a ELSE b"],
    "Max": ["Max(a, b) == IF a > b THEN a ELSE b"],
    "Minimum": ["Minimum(S) == CHOOSE x \\in S : \\A y \\in S : x <= y"],
    "Maximum": ["Maximum(S) == CHOOSE x \\in S : \\A y \\in S : x >= y"],
    "Range": ["Range(f) == {f[x] : x \\in DOMAIN f}"],
    "UpTo": ["UpTo(S, n) == {s \\in Seq(S) : Len(s) <= n} \\* in which TLC looks for a value"],
    "SeqsUpTo": ["SeqsUpTo(S, n) == UNION {[1..k -> S] : k \\in 0..n} \\* which TLC lists"],
    "PlaceIn": ["PlaceIn(s, x) == (CHOOSE i \\in DOMAIN s : s[i] = x) - 1"],
    "Ascending": [
        "Ascending(S) == \\* numbers, the least first",
        "    LET f[T \\in SUBSET S] ==",
        "          IF T = {} THEN <<>> ELSE LET x == CHOOSE x \\in T : \\A y \\in T : x <= y IN <<x>> \\o f[T \\ {x}]",
        "    IN f[S]",
    ],
    "Sum": [
        "Sum(f) == \\* all values of the function together",
        "    LET g[S \\in SUBSET DOMAIN f] ==",
        "          IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN f[x] + g[S \\ {x}]",
        "    IN g[DOMAIN f]",
    ],
    "Fold": [
        "Fold(f(_, _), x, s) == \\* one after the other",
        "    LET g[n \\in 0..Len(s)] == IF n = 0 THEN x ELSE f(g[n - 1], s[n])",
        "    IN g[Len(s)]",
    ],
}
"""What the modules of TLA+ lack. A module defines what it uses of these, with letters that are free there."""


def _library_lines(names: Names, used_names: Iterable[str]) -> list[str]:
    taken = names.used_names()
    lines = [line for name in used_names for line in _LIBRARY[name]]
    return [re.sub(r"(?<![\\\w])[A-Za-z](?!\w)", lambda letter: free_name(letter[0], taken), line) for line in lines]


@immutable
class TLAExport:
    """A model in TLA+. `invariants` and `properties` are the names that a configuration may ask for, `never` those that
    claim of a `@reachable` that it is not: TLC shows how it is reached as their violation. `left_out` says of each
    claim that TLA+ cannot make why. `variables` are the names of the model's fields, `parameters` those of its
    constants and domains, `abstract` the modules of models that this one refines, which it reads beside it."""

    name: str
    module: str
    invariants: tuple[str, ...]
    properties: tuple[str, ...]
    never: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    constants: tuple[str, ...]
    symmetric: tuple[str, ...]
    variables: Mapping[str, str]
    parameters: Mapping[str, str]
    abstract: tuple[TLAExport, ...]

    def configuration(self, invariants: Iterable[str], properties: Iterable[str], *, symmetry: bool = False) -> str:
        """A configuration of TLC that asks for these invariants and properties."""
        lines = ["SPECIFICATION Spec", "CHECK_DEADLOCK FALSE", "CONSTANTS", *(f"    {line}" for line in self.constants)]
        if symmetry and self.symmetric:
            lines.append("SYMMETRY Symmetry")
        for word, names in (("INVARIANTS", invariants), ("PROPERTIES", properties)):
            listed = list(names)
            lines += [word, *(f"    {name}" for name in listed)] if listed else []
        lines += ["\\* To see how something is reached, ask for its violation:"] if self.never else []
        lines += [f"\\* INVARIANT {name}" for name in self.never]
        return "\n".join(lines) + "\n"


def export_to_tla(model: Model, name: str) -> TLAExport:
    """A model, bound with its constants open, in TLA+ under a name. NotInTLAError, with the place, for what cannot be
    said there."""
    return _Export(model, name).write_module()


class _Export:
    """One module being written."""

    def __init__(self, model: Model, name: str) -> None:
        self.model, self.name = model, name
        self.names = Names()
        self.fields = [field.name for field in model.fields]
        self.types = self._named_types()
        self._declare()
        self.operators = Operators(self.names, {field.name: field.type for field in model.fields})
        self.left_out: list[tuple[str, str]] = []
        self.abstract: list[TLAExport] = []

    def _named_types(self) -> list[Enumeration | Identity]:
        """The enums and domains that the module mentions."""
        found: dict[object, Enumeration | Identity] = {domain.python: domain for domain in self.model.domains}
        for type_ in self._all_types():
            for inner in named_types(type_):
                if isinstance(inner, Enumeration | Identity):
                    found.setdefault(inner.python, inner)
        return list(found.values())

    def _forms(self) -> Iterator[object]:
        """Every form of the model that the module says."""
        yield from (action.form for action in self.model.actions)
        yield from (initial.form for initial in self.model.initials)
        yield from (prop.form for prop in (*self.model.properties, *self.model.terminals, *self.model.step_bounds))
        yield from (form for prop in self.model.liveness if not prop.of for form in prop.forms)
        yield from (prop.refinement.mapping for prop in self.model.properties if prop.refinement is not None)

    def _all_types(self) -> Iterator[Type]:
        yield from (field.type for field in self.model.fields)
        seen: set[int] = set()
        for form in self._forms():
            for part in traverse_form(form):
                type_ = getattr(part, "type", None) or getattr(part, "of", None)
                if id(type_) not in seen and type(type_).__module__ == Bool.__module__:
                    seen.add(id(type_))
                    yield type_  # type: ignore[misc]
                for _, inner in part.parameters if isinstance(part, ir.Function) else ():
                    yield inner

    def _declare(self) -> None:
        """Names in the order of what is least likely to be renamed."""
        for field in self.fields:
            self.names.declare(("field", field), field)
        for constant in self.model.constants:
            self.names.declare(constant, constant)
        for prop in self.model.properties:  # what an instance substitutes may not be an operator with arguments here
            self.names.taken.update(
                field.name for field in (prop.refinement.abstract.fields if prop.refinement else ())
            )
        for type_ in self.types:
            name = _identifier(type_.name)
            self.names.declare(type_.python, name)
            self.names.declare((type_.python, "order"), f"{name}Order")
        for thing in (*self.model.actions, *self.model.properties, *self.model.liveness, *self.model.terminals):
            self.names.declare(("thing", thing.name), thing.name)
        for part in traverse_form(tuple(self._forms())):
            if isinstance(part, ir.Call):
                self.names.reserve(part.function.name)

    # --- the whole ---------------------------------------------------------------------------------------------------

    def write_module(self) -> TLAExport:
        initials = self._blocks(self._initial_lines(initial) for initial in self.model.initials)
        within = self._step_bound_lines()
        actions = self._blocks(self._action_lines(action) for action in self.model.actions)
        invariants, properties, never = (
            self._invariant_definitions(),
            self._property_definitions(),
            self._witness_definitions(),
        )
        own = [
            *self.operators.lines,
            *self._section("Where a run begins", initials),
            *self._init_lines(),
            *self._section("How far steps go", within),
            *self._section("Actions", actions),
            *self._next_lines(),
            *self._section("What must hold", self._blocks([*(b for _, b in invariants), *(b for _, b in properties)])),
            *self._section(
                "What must be possible: each is violated by the run that shows it", self._blocks(b for _, b in never)
            ),
        ]
        body = "\n".join(own)
        lines = [*self._header_lines(body), *self._used_library_lines(body), *own, "=" * 78]
        return TLAExport(
            self.name,
            "\n".join(lines) + "\n",
            ("TypeOK", *(name for name, _ in invariants)),
            tuple(name for name, _ in properties),
            tuple(name for name, _ in never),
            tuple(self.left_out),
            tuple(self._constant_texts()),
            tuple(self.names.declared_name(domain.python) for domain in self.model.domains if domain.symmetric),
            {name: self.names.declared_name(("field", name)) for name in self.fields},
            {
                **{key: self.names.declared_name(key) for key in self.model.constants},
                **{domain.name: self.names.declared_name(domain.python) for domain in self._domains()},
            },
            tuple(self.abstract),
        )

    @staticmethod
    def _blocks(blocks: Iterable[Sequence[str]]) -> list[str]:
        return [line for block in blocks if block for line in (*block, "")]

    @staticmethod
    def _section(title: str, lines: Sequence[str]) -> list[str]:
        return [f"\\* {'-' * 4} {title} {'-' * (70 - len(title))}", "", *lines] if lines else []

    def _header_lines(self, body: str) -> list[str]:
        title = f"---- MODULE {self.name} ----"
        extends = ["Integers", "Sequences", "FiniteSets", "TLC"]
        bags = any(_has_bag(field.type) for field in self.model.fields)
        lines = [title.center(78, "-"), *comment_lines(self.model.doc.partition("\n\n")[0])]
        lines += [f"EXTENDS {', '.join([*extends, *(['Bags'] if bags else [])])}", "", "CONSTANTS"]
        lines += self._constant_lines()
        lines += ["", "VARIABLES", *self._variable_lines(), ""]
        lines += [*self._wrap_list("vars == <<", self.fields_text(self.fields), ">>"), ""]
        lines += self._set_lines(body)
        return lines

    def _constant_lines(self) -> list[str]:
        given = [("None", "what an option holds that holds nothing")]
        given += [
            (self.names.declared_name(domain.python), _first_line(domain.python.__doc__)) for domain in self._domains()
        ]
        given += [(self.names.declared_name(key), constant.says) for key, constant in self.model.constants.items()]
        return _commented_declaration_lines(given)

    def _variable_lines(self) -> list[str]:
        given = [
            (self.names.declared_name(("field", field.name)), f"{'ghost: ' if field.ghost else ''}{field.says}")
            for field in self.model.fields
        ]
        return _commented_declaration_lines(given)

    def fields_text(self, fields: Sequence[str]) -> str:
        """Variables with commas between them."""
        return ", ".join(self.names.declared_name(("field", name)) for name in fields)

    @staticmethod
    def _wrap_list(head: str, text: str, tail: str) -> list[str]:
        whole = re.sub(r'"[^"]*"', lambda quoted: quoted[0].replace(" ", _HARD_SPACE), f"{head}{text}{tail}")
        lines = wrap(whole, _WIDTH, subsequent_indent=" " * len(head), break_long_words=False)
        return [line.replace(_HARD_SPACE, " ") for line in lines]

    def _domains(self) -> list[Identity]:
        return [type_ for type_ in self.types if isinstance(type_, Identity)]

    def _set_lines(self, body: str) -> list[str]:
        lines: list[str] = []
        for type_ in self.types:
            name, order = self.names.declared_name(type_.python), self.names.declared_name((type_.python, "order"))
            if isinstance(type_, Enumeration):
                members = ", ".join(member_text(type_, number) for number in range(len(type_.members)))
                lines += self._wrap_list(f"{name} == {{", members, "}") if _mentions(body, name) else []
                lines += self._wrap_list(f"{order} == <<", members, ">>") if _mentions(body, order) else []
            elif _mentions(body, order):
                f, i, j = (free_name(letter, self.names.used_names()) for letter in "fij")
                lines += [
                    f"{order} == \\* in one order, any",
                    f"    CHOOSE {f} \\in [1..Cardinality({name}) -> {name}] :",
                    f"        \\A {i}, {j} \\in DOMAIN {f} : {f}[{i}] = {f}[{j}] => {i} = {j}",
                ]
        symmetric = [self.names.declared_name(domain.python) for domain in self.model.domains if domain.symmetric]
        if symmetric:
            lines.append("Symmetry == " + " \\union ".join(f"Permutations({name})" for name in symmetric))
        return [*lines, ""] if lines else []

    def _used_library_lines(self, body: str) -> list[str]:
        types = "\n".join(
            set_text(field.type, self.names, is_listed=False) for field in self.model.fields if not _has_bag(field.type)
        )
        text = f"{body}\n{types}"
        used = [name for name in _LIBRARY if _mentions(text, name)]
        lines = _library_lines(self.names, used)
        return [*lines, ""] if lines else []

    def _constant_texts(self) -> Iterator[str]:
        yield "None = None"
        labels = [label for domain in self._domains() for label in domain.labels]
        for domain in self._domains():
            size = domain.size if domain.size_open is None else domain.size_open.value(self.model.values)
            plain = all(re.fullmatch(r"[A-Za-z]\w*", label) and labels.count(label) == 1 for label in domain.labels)
            clash = any(label in self.names.taken for label in domain.labels)
            shown = [label if plain and not clash else f"{domain.name}_{label}" for label in domain.labels[:size]]
            members = ", ".join(re.sub(r"\W", "_", label) for label in shown)
            yield f"{self.names.declared_name(domain.python)} = {{{members}}}"
        for key, value in self.model.values.items():
            yield f"{self.names.declared_name(key)} = {_value_text(value)}"

    # --- parts -------------------------------------------------------------------------------------------------------

    def _initial_lines(self, initial: Initial) -> list[str]:
        names, scope = bind_all(
            [parameter.name for parameter in initial.form.parameters], self.operators.formula_scope()
        )
        term = initial_term(initial.form, scope, self.fields)
        name = self.names.declare(("initial", initial.name), initial.name)
        head = f"{name}({', '.join(names)})" if names else name
        return [*comment_lines(initial.doc), f"{head} ==", *lay_out_parts(term, 4)]

    def _init_lines(self) -> list[str]:
        starts = [
            self._call_text(self.names.declared_name(("initial", start.name)), start.form.parameters)
            for start in self.model.initials
        ]
        return (
            ["Init ==", *(f"    \\/ {text}" for text in starts), ""]
            if len(starts) > 1
            else [f"Init == {starts[0]}", ""]
        )

    def _call_text(self, name: str, parameters: Sequence[Parameter]) -> str:
        """An action or a start with some values of its parameters."""
        ranges, shown = self._ranges(parameters)
        call = f"{name}({', '.join(shown)})" if shown else name
        return f"\\E {', '.join(ranges)} : {call}" if ranges else call

    def _ranges(self, parameters: Sequence[Parameter]) -> tuple[list[str], list[str]]:
        shown, _ = bind_all([parameter.name for parameter in parameters], self.operators.formula_scope())
        pairs = zip(parameters, shown, strict=True)
        return [f"{name} \\in {self._range_text(parameter)}" for parameter, name in pairs], shown

    def _range_text(self, parameter: Parameter) -> str:
        if parameter.pool is None:
            return set_text(parameter.type, self.names)
        variable = self.names.declared_name(("field", parameter.pool))
        pool = self.model.field(parameter.pool).type
        return f"BagToSet({variable})" if isinstance(pool, Pool) and pool.multiple else variable

    def _action_lines(self, action: Action) -> list[str]:
        names, scope = bind_all(
            [parameter.name for parameter in action.form.parameters], self.operators.formula_scope()
        )
        term = action_term(action.form.body, scope, self.fields, self._step_guards())
        name = self.names.declared_name(("thing", action.name))
        head = f"{name}({', '.join(names)})" if names else name
        return [*comment_lines(_first_paragraph(action.doc)), f"{head} ==", *lay_out_parts(term, 4)]

    def _step_bound_lines(self) -> list[str]:
        """What the bounds of steps ask, which each action names at its end."""
        lines: list[str] = []
        for bound in self.model.step_bounds:
            assert bound.form is not None, "a bound reads no ghost that was folded away"
            name = self.names.declare(("within", bound.name), f"within_{bound.name}")
            lines += [
                *comment_lines(bound.says),
                *self._claim_lines(name, bound.form, frozenset(bound.form.states[1:])),
                "",
            ]
        return lines

    def _step_guards(self) -> list[Term]:
        return [FlatFormula(self.names.declared_name(("within", bound.name)), ATOM) for bound in self.model.step_bounds]

    def _next_lines(self) -> list[str]:
        calls = [
            self._call_text(self.names.declared_name(("thing", a.name)), a.form.parameters) for a in self.model.actions
        ]
        steps = [f"    \\/ {call}" for call in calls]
        return ["Next ==", *steps, "", "Spec == Init /\\ [][Next]_vars", "", *self._type_ok_lines(), ""]

    def _type_ok_lines(self) -> list[str]:
        lines = ["TypeOK =="]
        for field in self.model.fields:
            name = self.names.declared_name(("field", field.name))
            if isinstance(field.type, Pool) and field.type.multiple:
                lines.append(
                    f"    /\\ BagToSet({name}) \\subseteq {set_text(field.type.of, self.names, is_listed=False)}"
                )
            elif not _has_bag(field.type):
                lines.append(f"    /\\ {name} \\in {set_text(field.type, self.names, is_listed=False)}")
        return lines

    def _claim_lines(self, name: str, form: ir.Function, primed_states: frozenset[str] = frozenset()) -> list[str]:
        return [
            f"{name} ==",
            *lay_out(returned_value(form.body, self.operators.formula_scope(primed_states)), 4, "    "),
        ]

    def _invariant_definitions(self) -> list[tuple[str, list[str]]]:
        return [
            (name, [*comment_lines(prop.says), *self._claim_lines(name, form)])
            for prop, form, name in self._claims("invariant")
        ]

    def _claims(self, kind: str) -> Iterator[tuple[Property, ir.Function, str]]:
        for prop in self.model.properties:
            if prop.kind == kind and prop.refinement is None and prop.form is not None:
                yield prop, prop.form, self.names.declared_name(("thing", prop.name))

    def _witness_definitions(self) -> list[tuple[str, list[str]]]:
        found: list[tuple[str, list[str]]] = []
        for prop, form, name in self._claims("reachable"):
            never = self.names.declare(("never", prop.name), f"never_{prop.name}")
            found.append((never, [*comment_lines(prop.says), *self._claim_lines(name, form), f"{never} == ~{name}"]))
        return found

    def _property_definitions(self) -> list[tuple[str, list[str]]]:
        found: list[tuple[str, list[str]]] = []
        for prop, form, name in self._claims("transition"):
            step = self.names.declare(("step", prop.name), f"{prop.name}_step")
            lines = self._claim_lines(step, form, frozenset(form.states[1:]))
            found.append((name, [*comment_lines(prop.says), *lines, f"{name} == [][{step}]_vars"]))
        for prop in self.model.properties:
            if prop.refinement is not None:
                found.append(self._refinement_definition(prop, prop.refinement))
        for prop in self.model.liveness:
            if prop.kind == "always_possible":
                self.left_out.append((prop.name, "that something stays possible is no temporal formula of TLA+"))
            elif prop.of:
                self.left_out.append((prop.name, f"what the abstract model of {prop.of} claims of images of runs"))
            elif prop.applicable:
                found.append(self._liveness_definition(prop))
        return found

    # --- refinement --------------------------------------------------------------------------------------------------

    def _refinement_definition(self, prop: Property, refinement: Refinement) -> tuple[str, list[str]]:
        """The abstract module as an instance under the function of states, and that its formula holds."""
        abstract = export_to_tla(refinement.abstract, free_name(_identifier(refinement.abstract.name), {self.name}))
        self.abstract.append(abstract)
        name = self.names.declared_name(("thing", prop.name))
        instance = self.names.declare(("instance", prop.name), f"{prop.name}_{abstract.name}")
        lines = comment_lines(prop.says)
        given = ((abstract.parameters[key], text) for key, text in self._given_constants(refinement))
        pairs = [("None", "None"), *given]
        body = refinement.mapping.body
        match body:
            case (ir.Return(value=ir.MakeRecord(fields=values)),):
                shown = [flat_text(expression_formula(value, self.operators.formula_scope())) for value in values]
            case _:
                image = self.names.declare(("image", prop.name), f"{prop.name}_image")
                lines += [f"{image} ==", *lay_out(returned_value(body, self.operators.formula_scope()), 4, "    ")]
                shown = [f"{image}.{field.name}" for field in refinement.abstract.fields]
        pairs += zip((abstract.variables[field.name] for field in refinement.abstract.fields), shown, strict=True)
        lines += [f"{instance} == INSTANCE {abstract.name} WITH"]
        lines += [f"    {left} <- {right}{',' if at < len(pairs) else ''}" for at, (left, right) in enumerate(pairs, 1)]
        if refinement.may_be:
            self.left_out.append((prop.name, "which abstract action each action may be: any is, here"))
        return name, [*lines, f"{name} == {instance}!Spec"]

    def _given_constants(self, refinement: Refinement) -> Iterator[tuple[str, str]]:
        """The constants of the abstract module with their values, and its domains, which are those of the model."""
        given = dict(refinement.constant_texts)
        for domain in refinement.abstract.domains:
            if domain.python not in {own.python for own in self.model.domains}:
                raise NotInTLAError(f"a refinement whose domain {domain.name} is not one of the model")
            yield domain.name, self.names.declared_name(domain.python)
        for key, value in refinement.abstract.values.items():
            is_own = key not in given and key in self.model.constants
            yield key, self.names.declared_name(key) if is_own else _value_text(value)

    # --- liveness ----------------------------------------------------------------------------------------------------

    def _liveness_definition(self, prop: Liveness) -> tuple[str, list[str]]:
        name = self.names.declared_name(("thing", prop.name))
        lines = comment_lines(prop.says)
        heads: list[str] = []
        for at, form in enumerate(prop.forms):
            wanted = f"{prop.name}_{'when' if at == 0 and len(prop.forms) > 1 else 'then'}"
            head = self.names.declare(("predicate", prop.name, at), wanted)
            names, scope = bind_all([parameter for parameter, _ in form.parameters], self.operators.formula_scope())
            heads.append(f"{head}({', '.join(names)})" if names else head)
            lines += [f"{heads[-1]} ==", *lay_out(returned_value(form.body, scope), 4, "    ")]
        parameters = next(form.parameters for form in prop.forms)
        shown, _ = bind_all([parameter for parameter, _ in parameters], self.operators.formula_scope())
        pairs = zip(shown, parameters, strict=True)
        ranges = [f"{text} \\in {set_text(type_, self.names)}" for text, (_, type_) in pairs]
        then = heads[-1]
        claim = {
            "leads_to": f"{heads[0]} ~> {then}",
            "initially_leads_to": f"{heads[0]} => <>{then}",
            "leads_to_always": f"{heads[0]} ~> []{then}",
            "always_eventually": f"[]<>{then}",
            "eventually_always": f"<>[]{then}",
        }[prop.kind]
        claim = f"\\A {', '.join(ranges)} : {claim}" if ranges else claim
        conditions: dict[str, str] = {}
        for condition in (fairness.where for fairness in prop.fairness):
            if condition is not None and condition.name not in conditions:
                form = condition.form
                assert form is not None, "a bound model has its form"
                head = self.names.declare(("condition", prop.name, condition.name), f"{prop.name}_{condition.name}")
                names, scope = bind_all(list(condition.parameters), self.operators.formula_scope())
                conditions[condition.name] = f"{head}({', '.join(names)})" if names else head
                lines += [f"{conditions[condition.name]} ==", *lay_out(returned_value(form.body, scope), 4, "    ")]
        fair = [self._fairness_text(fairness, conditions) for fairness in prop.fairness]
        if not fair:
            return name, [*lines, f"{name} == {claim}"]
        assumed = self.names.declare(("fair", prop.name), f"{prop.name}_fair")
        lines += [f"{assumed} ==", *(f"    /\\ {text}" for text in fair)]
        return name, [*lines, f"{name} == {assumed} => ({claim})"]

    def _fairness_text(self, fairness: Fairness, conditions: Mapping[str, str]) -> str:
        sign = f"{'SF' if fairness.strong else 'WF'}_<<{self.fields_text(self._protocol_fields())}>>"
        actions = [self.model.action(name) for name in fairness.actions]
        condition = "" if fairness.where is None else f" /\\ {conditions[fairness.where.name]}"
        steps = [self._quantified_call_text(action, fairness.parameters, condition) for action in actions]
        given = [p for name in fairness.parameters for p in actions[0].form.parameters if p.name == name]
        if not given:
            return f"{sign}({_disjunction_text(steps)})"
        ranges, _ = self._ranges(given)
        return f"\\A {', '.join(ranges)} : {sign}({_disjunction_text(steps)})"

    def _protocol_fields(self) -> list[str]:
        return [field.name for field in self.model.fields if not field.ghost]

    def _quantified_call_text(self, action: Action, given_parameters: tuple[str, ...], condition: str) -> str:
        """An action with some parameters given and some values of the others, where a condition is true."""
        others = [p for p in action.form.parameters if p.name not in given_parameters]
        ranges, _ = self._ranges(others)
        shown, _ = bind_all([p.name for p in action.form.parameters], self.operators.formula_scope())
        name = self.names.declared_name(("thing", action.name))
        call = f"{name}({', '.join(shown)}){condition}" if shown else f"{name}{condition}"
        return f"\\E {', '.join(ranges)} : {call}" if ranges else call


# --- texts ------------------------------------------------------------------------------------------------------------


def comment_lines(text: str) -> list[str]:
    """A text as comments."""
    plain = " ".join(text.split())
    return [f"\\* {line}" for line in wrap(plain, _WIDTH - 3, break_long_words=False, break_on_hyphens=False)]


def _identifier(name: str) -> str:
    """A model's name as that of a module."""
    return re.sub(r"\W+", "_", name).strip("_")


def _first_paragraph(text: str) -> str:
    return text.strip().partition("\n\n")[0]


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


def _commented_declaration_lines(declarations: Sequence[tuple[str, str]]) -> list[str]:
    """Declarations one below the other, each with its comment."""
    width = max(len(name) for name, _ in declarations) + 1
    last = len(declarations) - 1
    lines: list[str] = []
    for at, (name, says) in enumerate(declarations):
        text = f"    {name}{'' if at == last else ','}".ljust(width + 5)
        lines.append(f"{text} \\* {says}" if says else text.rstrip())
    return lines


def _disjunction_text(steps: Sequence[str]) -> str:
    return steps[0] if len(steps) == 1 else " \\/ ".join(f"({step})" for step in steps)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _has_bag(type_: Type) -> bool:
    """Whether there is a bag in a type, which is not a set that a value could be looked for in."""
    match type_:
        case Option(of=of) | Seq(of=of) | Subset(of=of) | Map(value=of):
            return _has_bag(of)
        case Pool(of=of, multiple=multiple):
            return multiple or _has_bag(of)
        case Record(fields=fields):
            return any(_has_bag(of) for _, of in fields)
        case _:
            return False


def _value_text(value: object) -> str:
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case Enum():
            return f'"{value.value if isinstance(value.value, str) else value.name}"'
        case _:
            return str(value)
