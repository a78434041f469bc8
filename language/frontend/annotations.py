"""Annotations to types, with the constants' values in them.

An annotation is evaluated in its module's namespace, as a type checker would, and what comes out is read: `int`,
`bool`, enums, domains, records, `Annotated[...]` with a range or a capacity, `Map`, `Seq`, `Set`, `Bag`, `T | None`,
`Ghost[...]`.
"""

from __future__ import annotations

import ast
import sys
import types as python_types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, cast

from .. import values as containers
from ..constants import Constant, ConstantExpression, Literal, OpenExpression, Operation, Value, expression_text
from ..declare import mark_of
from ..errors import AbandonedError, Diagnostics, suggest_name
from ..immutable import immutable
from ..kinds import Capacity, Domain, GhostMark, Member, Range, unwritable_label
from ..records import box_type, classes_of_type, is_tuple, tuple_of, union_of
from ..types import (
    Bool,
    Enumeration,
    Identity,
    Int,
    Map,
    Option,
    Pool,
    Record,
    Seq,
    Subset,
    Type,
    Unit,
    scalar_size,
)
from ..where import Where
from .capacities import MEMBERS_MAX, UNKNOWN_CAPACITY, capacity_text, with_full_capacity
from .intervals import EXPONENTS, UNBOUNDED_INT, fits_64_bits, is_inside, result_interval
from .nearest_types import nearest_type, text_of_name
from .source import CAPACITY_ADVICE, Source, globals_of_class, source_of_class
from .type_text import describe


class _AnnotationError(Exception):
    """What is wrong with an annotation; becomes a diagnostic at the annotation."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


@immutable
class Annotation:
    """An annotation read: its type (None for the state class), and the marks beside it."""

    type: Type | None
    ghost: bool = False
    member_of: str | None = None


class Types:
    """Reads annotations for one binding of the constants; domains, enums and records are read once each. `images` are
    the states of abstract models as records, once the functions that make them are elaborated."""

    def __init__(self, values: Mapping[str, Value], open_: Iterable[str], diagnostics: Diagnostics) -> None:
        self.values = values
        self.open = frozenset(open_)
        self.diagnostics = diagnostics
        self.identities: dict[str, Identity] = {}
        self._named: dict[type[Any], Type | None] = {}
        self._broken: list[Any] = []
        self.images: dict[type[Any], Record] = {}
        self._foreign: list[tuple[Constant, Value]] = []
        self._variables: Mapping[Any, Type] = {}
        self.of_projection = False
        """Whether what is read is what a projection returns, which nothing stores."""

    # --- entry points ------------------------------------------------------------------------------------------------

    def add_constants(self, constants: Iterable[tuple[Constant, Value]]) -> None:
        """Gives constants that an abstract model alone has the values that it is bound to."""
        self._foreign += constants

    def constant_value(self, constant: Constant) -> Value | None:
        """The value of a constant: the model's, or for one that only an abstract model has, that one's. None for a
        constant of neither."""
        foreign = next((value for known, value in self._foreign if known is constant), None)
        return self.values.get(constant.name) if foreign is None else foreign

    def add_abstract_state(self, cls: type[Any], image: Record) -> bool:
        """Makes the state of an abstract model a type, and what it is made of, where this model has no such class
        itself. Answers whether that is what the class stands for: another binding may have come first."""
        for owner, type_ in classes_of_type(image):
            self._named.setdefault(owner, type_)
        return self.images.setdefault(cls, image) == image

    def read_annotation(
        self,
        node: ast.expr,
        source: Source,
        namespace: Mapping[str, Any],
        variables: Mapping[Any, Type] | None = None,
    ) -> Annotation:
        """The annotation at `node`, with what its type variables stand for. Raises AbandonedError after noting what is
        wrong with it."""
        outer, self._variables = self._variables, variables or {}
        try:
            return self._annotation_of(_evaluate_annotation(node, source, namespace))
        except _AnnotationError as problem:
            self.diagnostics.add(problem.code, source.where(node), problem.message, problem.hint)
            raise AbandonedError from None
        finally:
            self._variables = outer

    def has_variables(self, node: ast.expr, source: Source, namespace: Mapping[str, Any]) -> bool:
        """Whether an annotation holds type variables; one that cannot be evaluated holds none, and
        `read_annotation` says why."""
        try:
            return _has_variables(_evaluate_annotation(node, source, namespace))
        except _AnnotationError:
            return False

    def infer_variables(
        self, node: ast.expr, source: Source, namespace: Mapping[str, Any], found_type: Type, variables: dict[Any, Type]
    ) -> bool:
        """Adds to `variables` what an annotation's type variables are in a value of type `found_type`. Answers whether
        the two are of one shape."""
        return _infer_variables(_evaluate_annotation(node, source, namespace), found_type, variables)

    def read_stored_annotation(self, node: ast.expr, source: Source, namespace: Mapping[str, Any]) -> Annotation:
        """Like `read_annotation`, for data that is stored: every integer has a range and every container a capacity."""
        annotation = self.read_annotation(node, source, namespace)
        try:
            if annotation.type is None:
                return annotation
            made = with_full_capacity(annotation.type)
            _check_complete(made)
        except _AnnotationError as problem:
            self.diagnostics.add(problem.code, source.where(node), problem.message, problem.hint)
            raise AbandonedError from None
        return replace(annotation, type=made)

    def type_of_class(self, cls: type[Any]) -> Type | None:
        """The type that a class stands for: an enum, a domain or a record; None for any other class.

        Raises AbandonedError when its own text is wrong (noted once).
        """
        if cls in self._named:
            found = self._named[cls]
            if found is None:
                raise AbandonedError
            return found
        maker = self._type_maker(cls)
        if maker is None:
            return None
        self._named[cls] = None
        try:
            self._named[cls] = made = maker()
        except _AnnotationError as problem:
            self.diagnostics.add(problem.code, _class_place(cls), problem.message, problem.hint)
            raise AbandonedError from None
        return made

    def type_of_range(self, mark: Range) -> Int:
        """The type of the integers of a range."""
        made = self._type_in_range(UNBOUNDED_INT, mark)
        assert isinstance(made, Int), "a range is one of integers"
        return made

    def type_of_expression(self, expression: ConstantExpression) -> Int:
        """The values of a constant expression: one when all its constants are folded, else an interval."""
        match expression:
            case Literal(number=number):
                return Int(number, number)
            case Operation(op=op, left=left, right=right):
                return self._type_of_operation(op, self.type_of_expression(left), self.type_of_expression(right))
            case Constant():
                return self._constant_interval(expression)
            case _:
                raise TypeError(f"{expression!r} is not a constant expression")

    def _type_of_operation(self, op: str, left: Int, right: Int) -> Int:
        if op == "**" and not is_inside(right, EXPONENTS):
            message = f"the exponent may be anything from {right.lo} to {right.hi}"
            raise _AnnotationError("TG408", message, f"an exponent from 0 to {EXPONENTS.hi}")
        if op in ("//", "%") and right.lo <= 0 <= right.hi:
            raise _AnnotationError("TG408", "the divisor may be 0", "a divisor with minimum=1")
        found = result_interval(op, left, right)
        if not fits_64_bits(found):
            message = f"the result may be anything from {found.lo} to {found.hi}"
            raise _AnnotationError("TG410", message, "smaller constants: bounds are within -2**62..2**62")
        return found

    def expression_if_open(self, expression: ConstantExpression) -> ConstantExpression | None:
        """The expression itself when it depends on an open constant, else None."""
        return OpenExpression(expression_text(expression), expression) if expression.names() & self.open else None

    # --- classes -----------------------------------------------------------------------------------------------------

    def _type_maker(self, cls: type[Any]) -> Callable[[], Type] | None:
        mark = mark_of(cls)
        if cls in self.images:
            return lambda: self.images[cls]
        if issubclass(cls, Enum):
            return lambda: Enumeration(cls.__name__, tuple(member.name for member in cls), cls)
        if issubclass(cls, Domain) and cls is not Domain:
            return lambda: self._identity_of(cls)
        if mark is not None and mark.role == "record":
            return lambda: self._record_of(cls)
        return None

    def _identity_of(self, cls: type[Domain]) -> Identity:
        size, labels = self.type_of_expression(cls.domain_size), cls.domain_labels
        if size.lo < 1 or size.hi > len(labels):
            message = (
                f"{cls.__name__} would have {_interval_text(size)} members, and there are labels for {len(labels)}"
            )
            raise _AnnotationError(
                "TG407", message, "a size from 1 to the number of labels; name more with labels=[...]"
            )
        wrong = unwritable_label(labels)
        if wrong is not None:
            instead = "a name of letters, digits, _ and - for each member, such as B1 or broker-1"
            raise _AnnotationError("TG413", f"{cls.__name__} has {wrong}", instead)
        opened = self.expression_if_open(cls.domain_size)
        if cls.domain_ordered and cls.domain_symmetric:
            message = f"the members of {cls.__name__} have an order, by which they can be distinguished"
            raise _AnnotationError("TG411", message, "ordered=True or symmetric=True, not both")
        made = Identity(cls.__name__, size.hi, cls.domain_symmetric, labels[: size.hi], cls, opened, cls.domain_ordered)
        self.identities[cls.__name__] = made
        return made

    def _record_of(self, cls: type[Any]) -> Record:
        found = source_of_class(cls)
        if found is None:
            raise _AnnotationError("TG008", f"{cls.__name__} has no text", "a class written at the top level of a file")
        source, node = found
        fields: list[tuple[str, Type]] = []
        sound = True
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                try:
                    fields.append((statement.target.id, self._record_field(statement, source, globals_of_class(cls))))
                except AbandonedError:
                    sound = False
        if not sound:
            raise AbandonedError
        return Record(cls.__name__, tuple(fields), cls)

    def _record_field(self, node: ast.AnnAssign, source: Source, namespace: Mapping[str, Any]) -> Type:
        annotation = self.read_stored_annotation(node.annotation, source, namespace)
        if annotation.type is None or isinstance(annotation.type, Pool):
            message = "messages in flight and the state itself cannot be part of a record"
            self.diagnostics.add("TG219", source.where(node.annotation), message, "a Seq or a Set over a domain")
            raise AbandonedError
        return annotation.type

    # --- values of annotations ---------------------------------------------------------------------------------------

    def _annotation_of(self, value: Any) -> Annotation:
        if any(value is broken for broken in self._broken):
            raise AbandonedError
        try:
            return self._read_annotation(value)
        except _AnnotationError:
            self._broken.append(value)
            raise

    def _read_annotation(self, value: Any) -> Annotation:
        mark = mark_of(value) if isinstance(value, type) else None
        if mark is not None and mark.role == "state":
            return Annotation(self.images.get(value))
        if typing.get_origin(value) is not typing.Annotated:
            return Annotation(self._type_of(value))
        marks = cast("tuple[Any, ...]", cast(Any, value).__metadata__)
        members = [extra.field for extra in marks if isinstance(extra, Member)]
        ghost = any(isinstance(extra, GhostMark) for extra in marks)
        return Annotation(self._type_of(value), ghost, members[0] if members else None)

    def _type_of(self, value: Any) -> Type:
        if value is int:
            return UNBOUNDED_INT
        if value is bool:
            return Bool()
        if value is None or value is type(None):
            return Unit()
        if isinstance(value, typing.TypeVar):
            return self._type_of_variable(value)
        origin = typing.get_origin(value)
        if origin is typing.Annotated:
            return self._annotated_type(value.__origin__, value.__metadata__)
        if origin is typing.Union or origin is python_types.UnionType:
            return self._type_of_option(typing.get_args(value))
        if origin is not None:
            return self._type_of_container(origin, typing.get_args(value))
        named = self.type_of_class(value) if isinstance(value, type) else None
        if named is None:
            raise _AnnotationError("TG209", f"{text_of_name(value)} is not a type of the language", nearest_type(value))
        return named

    def _type_of_variable(self, variable: Any) -> Type:
        if variable not in self._variables:
            message = f"nothing says which type {text_of_name(variable)} is"
            raise _AnnotationError(
                "TG209", message, "a type variable in the parameters of a helper, and there in an argument"
            )
        return self._variables[variable]

    def _annotated_type(self, inner: Any, marks: tuple[Any, ...]) -> Type:
        type_ = self._type_of(inner)
        for mark in marks:
            if isinstance(mark, Range):
                type_ = self._type_in_range(type_, mark)
            elif isinstance(mark, Capacity):
                type_ = self._type_of_capacity(type_, mark)
        return type_

    def _type_in_range(self, type_: Type, mark: Range) -> Type:
        if not isinstance(type_, Int):
            raise _AnnotationError(
                "TG209", f"a Range belongs to int, not to {describe(type_)}", "Annotated[int, Range(lo, hi)]"
            )
        lo, hi = self.type_of_expression(mark.lo), self.type_of_expression(mark.hi)
        if lo.hi > hi.lo:
            raise _AnnotationError(
                "TG401", f"Range({lo.hi}, {hi.lo}) holds no integer", "Range(lo, hi) with lo <= hi, both included"
            )
        made = Int(lo.lo, hi.hi, self.expression_if_open(mark.lo), self.expression_if_open(mark.hi))
        if not fits_64_bits(made):
            raise _AnnotationError(
                "TG403", f"Range({made.lo}, {made.hi}) needs more than 62 bits", "a range within -2**62..2**62"
            )
        return made

    def _type_of_capacity(self, type_: Type, mark: Capacity) -> Type:
        if not isinstance(type_, (Seq, Pool)):
            hint = "Annotated[Seq[T], Capacity(n)], or a Set or Bag of records"
            raise _AnnotationError(
                "TG209", f"a Capacity belongs to a container that grows, not to {describe(type_)}", hint
            )
        size = self.type_of_expression(mark.size)
        if size.lo < 0:
            raise _AnnotationError("TG406", f"Capacity({size.lo}) is less than nothing", "a capacity of 0 or more")
        return replace(type_, capacity=size.hi, capacity_open=self.expression_if_open(mark.size))

    def _type_of_option(self, parts: tuple[Any, ...]) -> Type:
        some = [part for part in parts if part is not type(None)]
        inner = self._type_of_union(some) if len(some) > 1 else self._type_of(some[0])
        if len(some) == len(parts):
            return inner
        if isinstance(inner, Option):
            raise _AnnotationError(
                "TG218", "None would mean two things", "T | None once, or an enum that names the cases"
            )
        if isinstance(inner, Pool):
            raise _AnnotationError("TG219", "messages in flight cannot be optional", "an empty Set()")
        return Option(inner)

    def _type_of_union(self, parts: list[Any]) -> Record:
        """A union of records, such as the messages of a network."""
        found = [self._type_of(part) for part in parts]
        members = [type_ for type_ in found if isinstance(type_, Record) and not is_tuple(type_) and not type_.variants]
        if len(members) < len(found):
            other = next(type_ for type_ in found if type_ not in members)
            message = f"a union is one of records, and {describe(other)} is none"
            raise _AnnotationError("TG209", message, "@record classes: Vote | Ack; or T | None")
        if len({member.name for member in members}) < len(members):
            raise _AnnotationError("TG209", "two records of this union have one name", "records of different names")
        return union_of(members)

    def _type_of_tuple(self, arguments: tuple[Any, ...]) -> Record:
        if len(arguments) < 2 or Ellipsis in arguments:
            raise _AnnotationError(
                "TG209", "a tuple has two parts or more, each with its type", "tuple[A, B], or Seq[T]"
            )
        parts = [self._type_of(argument) for argument in arguments]
        if any(isinstance(part, Pool) for part in parts) and not self.of_projection:
            raise _AnnotationError("TG219", "messages in flight cannot be part of a tuple", "a Map of Sets, or a field")
        return tuple_of(parts, f"tuple[{', '.join(map(describe, parts))}]")

    def _type_of_container(self, origin: Any, arguments: tuple[Any, ...]) -> Type:
        if origin is tuple:
            return self._type_of_tuple(arguments)
        if origin is containers.Map:
            key = self._type_of(arguments[0])
            if is_tuple(key):
                parts = [describe(type_) for _, type_ in cast(Record, key).fields]
                nested = f"{''.join(f'Map[{part}, ' for part in parts)}V{']' * len(parts)}"
                raise _AnnotationError(
                    "TG217", "a tuple cannot be the key of a Map", f"{nested}, with s.m[a][b] for s.m[a, b]"
                )
            if not isinstance(key, (Int, Bool, Enumeration, Identity)) or key == UNBOUNDED_INT:
                message = f"a Map needs a key for each member of a finite type, not {describe(key)}"
                raise _AnnotationError("TG217", message, "a domain, an enum, bool, or a bounded integer as key")
            return Map(key, self._type_of(arguments[1]))
        if origin is containers.Seq:
            return self._type_of_sequence(self._type_of(arguments[0]))
        if origin is containers.Set:
            return self._type_of_set(self._type_of(arguments[0]))
        if origin is containers.Bag:
            return self._type_of_bag(self._type_of(arguments[0]))
        raise _AnnotationError(
            "TG209", f"{text_of_name(origin)} is not a container of the language", nearest_type(origin)
        )

    def _type_of_sequence(self, of: Type) -> Type:
        if isinstance(of, Pool):
            raise _AnnotationError(
                "TG219", "messages in flight cannot be elements of a sequence", "a Map of Sets, or a field of its own"
            )
        return Seq(of, UNKNOWN_CAPACITY)

    def _type_of_set(self, of: Type) -> Type:
        if isinstance(of, Record):
            return Pool(of, UNKNOWN_CAPACITY)
        if isinstance(of, Subset):
            return Pool(box_type(of, describe(of)), UNKNOWN_CAPACITY)
        if not isinstance(of, (Int, Bool, Enumeration, Identity)):
            raise _AnnotationError(
                "TG217",
                f"a Set cannot hold {describe(of)}",
                "a Set over a domain, an enum or a bounded integer, or of records",
            )
        if of != UNBOUNDED_INT and scalar_size(of) > MEMBERS_MAX:
            message = f"a Set over {describe(of)} has {scalar_size(of)} possible members"
            raise _AnnotationError("TG402", message, f"at most {MEMBERS_MAX} possible members")
        return Subset(of)

    def _type_of_bag(self, of: Type) -> Type:
        if not isinstance(of, Record):
            raise _AnnotationError(
                "TG217", f"a Bag holds records, not {describe(of)}", "Bag[Message], or Map[K, int] to count"
            )
        return Pool(of, UNKNOWN_CAPACITY, multiple=True)

    def _constant_interval(self, constant: Constant) -> Int:
        value = self.constant_value(constant)
        if value is None:
            raise _AnnotationError("TG408", "this constant has no name", "name = constant(...), at module level")
        if not isinstance(value, int) or isinstance(value, bool):
            raise _AnnotationError(
                "TG408", f"{constant.name} is not an integer", "an integer constant with minimum= and maximum="
            )
        if constant.name not in self.open:
            return Int(value, value)
        assert constant.minimum is not None, "an integer constant has bounds"
        assert constant.maximum is not None, "an integer constant has bounds"
        return Int(constant.minimum, constant.maximum)


def _class_place(cls: type[Any]) -> Where:
    """Where a class is declared; the top of its file when its text is not found there."""
    found = source_of_class(cls)
    if found is None:
        return Where(getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__, 1, 0, 1, 1)
    source, node = found
    return Where(source.path, node.lineno, node.col_offset, node.lineno, node.col_offset + len(f"class {node.name}"))


# --- small readers ---------------------------------------------------------------------------------------------------


def _evaluate_annotation(node: ast.expr, source: Source, namespace: Mapping[str, Any]) -> Any:
    """The Python value of an annotation; a quoted one is read as if it stood without quotes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.Name) and node.id in namespace:
        return namespace[node.id]
    else:
        text = source.text_of(node)
    try:
        return eval(text, namespace if isinstance(namespace, dict) else dict(namespace))
    except NameError as error:
        known = [name for name, value in namespace.items() if isinstance(value, type)]
        name = str(error.name)
        raise _AnnotationError("TG209", f"no type {name} in this module", suggest_name(name, known)) from None
    except Exception as error:  # whatever the author's annotation raises is the author's mistake
        hint = CAPACITY_ADVICE if text.startswith(("Seq[", "Set[", "Bag[")) else "a type of the language"
        raise _AnnotationError("TG209", f"the annotation cannot be evaluated: {error}", hint) from None


def _has_variables(value: Any) -> bool:
    return isinstance(value, typing.TypeVar) or any(map(_has_variables, typing.get_args(value)))


def _infer_variables(annotation: Any, found_type: Type, variables: dict[Any, Type]) -> bool:
    if isinstance(annotation, typing.TypeVar):
        variables[annotation] = variables.get(annotation, found_type)
        return True
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if (
        origin is tuple
        and isinstance(found_type, Record)
        and is_tuple(found_type)
        and len(arguments) == len(found_type.fields)
    ):
        pairs = zip(arguments, found_type.fields, strict=True)
        return all(_infer_variables(element, part, variables) for element, (_, part) in pairs)
    if not _has_variables(annotation):
        return True
    if origin is typing.Annotated:
        return _infer_variables(annotation.__origin__, found_type, variables)
    if origin is typing.Union or origin is python_types.UnionType:
        inner = found_type.of if isinstance(found_type, Option) else found_type
        return all(_infer_variables(argument, inner, variables) for argument in arguments if argument is not type(None))
    if isinstance(found_type, Option):
        return _infer_variables(annotation, found_type.of, variables)
    if isinstance(found_type, Map) and origin is containers.Map:
        return _infer_variables(arguments[0], found_type.key, variables) and _infer_variables(
            arguments[1], found_type.value, variables
        )
    holders: dict[Any, Any] = {containers.Seq: Seq, containers.Bag: Pool, containers.Set: (Subset, Pool)}
    holds = isinstance(found_type, (Seq, Pool, Subset)) and isinstance(found_type, holders.get(origin, ()))
    return holds and _infer_variables(arguments[0], cast(Any, found_type).of, variables)


def _check_complete(type_: Type) -> None:
    match type_:
        case Int() if type_ == UNBOUNDED_INT:
            raise _AnnotationError(
                "TG404", "a plain int has no bounds, so that it cannot be stored", "Annotated[int, Range(lo, hi)]"
            )
        case Seq(capacity=capacity, of=of) | Pool(capacity=capacity, of=of):
            if capacity == UNKNOWN_CAPACITY:
                name = "Seq" if isinstance(type_, Seq) else "Bag" if type_.multiple else "Set"
                hint = f"Annotated[{name}[{describe(of)}], Capacity(n)]"
                raise _AnnotationError("TG405", f"the {name} could grow {capacity_text(type_)}", hint)
            _check_complete(of)
        case Option(of=of) | Subset(of=of):
            _check_complete(of)
        case Record(fields=fields) if is_tuple(type_):
            for _, part in fields:
                _check_complete(part)
        case Map(key=key, value=value):
            _check_complete(key)
            _check_complete(value)
        case _:
            pass


def _interval_text(interval: Int) -> str:
    return str(interval.lo) if interval.lo == interval.hi else f"{interval.lo} to {interval.hi}"
