"""The typed form: what a model's functions mean, without Python's syntax.

The front end makes it, once per bound model; native code, Z3 and the analyses read it. It is small on purpose. Every
expression has a `type` and a `where`; folded constants are already `Const`. Nothing here runs: plain Python runs the
author's own text.

Meaning, engine by engine the same:

* Integers are mathematical. Ranges are checked at *stores* into the state only (`Store`, `Append`, `Add`): outside its
  type a value is a model error at `where`. An `Int` type of an expression is the interval that its value lies in.
* `And`, `Or`, `Choice`, `Quantified` evaluate only what Python would. The *partial* expressions (`Index` into a
  sequence, `Unwrap`, `//` and `%`, `min`/`max` of nothing, `Slice` with a negative end, a set of an integer outside its
  range, or of a record with one) are model errors when evaluated out of their domain.
* A name bound by `Let` holds the value at that moment, whatever is written to the state later.
* `Require` is false: the instance is disabled. `Limit` is false: it is stopped by the bounds. On every path both come
  before the first write, and every `Limit` after the `Require`s, but for those of a `@bound`, which come first.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from .immutable import immutable
from .types import Int, Pool, Record, Seq, Subset, Type
from .where import Where

# --- expressions ------------------------------------------------------------------------------------------------------


@immutable
class Const:
    """A constant of a scalar type as its number: the integer itself, 0/1, the enum position, the identity's index.
    Of an `Option` type (number 0) it is `None`."""

    number: int
    type: Type
    where: Where


@immutable
class OpenConst:
    """The value of an open constant, given when the kernel runs."""

    name: str
    type: Type
    where: Where


@immutable
class Name:
    """A parameter, a local name or a loop variable. Names are unique within a function once elaborated."""

    name: str
    type: Type
    where: Where


@immutable
class StateField:
    """Field `field` of the state called `state` (`s`, or `before`/`after` in a transition property)."""

    state: str
    field: str
    type: Type
    where: Where


@immutable
class RecordField:
    """Field `field` of a record."""

    record: Expr
    field: str
    type: Type
    where: Where


@immutable
class Index:
    """`container[index]`: a `Map` at a key (total; an `Int` key outside its range is an error), or a `Seq` at an offset
    (partial: 0 <= index < length)."""

    container: Expr
    index: Expr
    type: Type
    where: Where


@immutable
class Slice:
    """`sequence[start:stop]`; an absent bound is the sequence's own. Bounds beyond the length are cut as Python cuts
    them; a negative bound is an error."""

    sequence: Expr
    start: Expr | None
    stop: Expr | None
    type: Seq
    where: Where


@immutable
class Length:
    """`len` of a `Seq`, `Subset` or `Pool`."""

    of: Expr
    type: Int
    where: Where


@immutable
class Not:
    operand: Expr
    type: Type
    where: Where


@immutable
class And:
    """Two or more operands, left to right, stopping at the first false one."""

    operands: tuple[Expr, ...]
    type: Type
    where: Where


@immutable
class Or:
    """Two or more operands, left to right, stopping at the first true one."""

    operands: tuple[Expr, ...]
    type: Type
    where: Where


@immutable
class Choice:
    """`yes if condition else no`."""

    condition: Expr
    yes: Expr
    no: Expr
    type: Type
    where: Where


@immutable
class Arithmetic:
    """`left op right` on integers. `//` and `%` as Python means them, an error when `right` is 0; the exponent of `**`
    is always in `intervals.EXPONENTS`. `min` and `max` of two."""

    op: Literal["+", "-", "*", "//", "%", "**", "min", "max"]
    left: Expr
    right: Expr
    type: Int
    where: Where


@immutable
class Compare:
    """Equality at any one type (both sides are brought to a common type first), or order on integers and bools."""

    op: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr
    type: Type
    where: Where


@immutable
class Contains:
    """`element in container`, for a `Subset`, `Pool`, or `Seq`."""

    element: Expr
    container: Expr
    type: Type
    where: Where


@immutable
class SetOperation:
    """`| & - ^` on sets, giving one (of records, one that has room for all); `<=` (is a subset of) gives a bool."""

    op: Literal["|", "&", "-", "^", "<="]
    left: Expr
    right: Expr
    type: Type
    where: Where


@immutable
class IsMajority:
    """More than half of the members that the domain has are in the set."""

    subset: Expr
    type: Type
    where: Where


@immutable
class Position:
    """The number of a scalar: of a member of a domain or enum its place in the declaration, of an integer itself."""

    of: Expr
    type: Int
    where: Where


@immutable
class MemberAt:
    """The value of a scalar type that has some `Position`; an error when there is none."""

    number: Expr
    type: Type
    where: Where


@immutable
class Some:
    """A value of `T` taken as an `Option` of `T`."""

    value: Expr
    type: Type
    where: Where


@immutable
class IsNone:
    """`option is None`."""

    option: Expr
    type: Type
    where: Where


@immutable
class Unwrap:
    """The value of an option where a plain value is needed; an error when it is None."""

    option: Expr
    type: Type
    where: Where


@immutable
class MakeRecord:
    """A record from one expression per field, in declaration order."""

    fields: tuple[Expr, ...]
    type: Record
    where: Where


@immutable
class Replace:
    """`replace(record, field=value, ...)`."""

    record: Expr
    changes: tuple[tuple[str, Expr], ...]
    type: Record
    where: Where


@immutable
class MakeSubset:
    """A set of the given elements (`{a, b}`, `Set()`). An integer outside the range of its elements is an error, as
    in a `Quantified` set."""

    elements: tuple[Expr, ...]
    type: Subset
    where: Where


@immutable
class FullSubset:
    """Every member of the domain: `Set(Replica)`."""

    type: Subset
    where: Where


@immutable
class MakeSeq:
    """A sequence of the given elements (`Seq([a, b])`, `Seq()`)."""

    elements: tuple[Expr, ...]
    type: Seq
    where: Where


@immutable
class Concat:
    """`left + right` of sequences; the type's capacity is the sum."""

    left: Expr
    right: Expr
    type: Seq
    where: Where


@immutable
class MakePool:
    """A set or bag of the given records, each of which must belong to it."""

    elements: tuple[Expr, ...]
    type: Pool
    where: Where


@immutable
class MakeMap:
    """A map with `value` evaluated for each key, `variable` standing for the key."""

    variable: str
    value: Expr
    type: Type
    where: Where


@immutable
class MakeState:
    """The state an `@initial` function returns: one expression per field, in declaration order."""

    fields: tuple[Expr, ...]
    where: Where


@immutable
class IntRange:
    """Iterates `start`, ..., `stop - 1`."""

    start: Expr
    stop: Expr
    where: Where


@immutable
class Members:
    """Iterates the values of a finite type in declaration order (those that exist, when its size is open): the members
    of a scalar type, or all sets over one by their bit masks."""

    of: Type
    where: Where


@immutable
class Elements:
    """Iterates a `Subset` in declaration order, a `Seq` in order, or a `Pool` in the order of its records."""

    of: Expr
    where: Where


Source: TypeAlias = IntRange | Members | Elements


@immutable
class Generator:
    """`for variable in source if conditions`."""

    variable: str
    type: Type
    source: Source
    conditions: tuple[Expr, ...]


@immutable
class Quantified:
    """A comprehension over one or more generators, leftmost outermost.

    `all` and `any` stop early. `sum` adds integers (a bool counts as 1). `min` and `max` need an element, unless
    `default` is given, which is evaluated in any case. `set` collects scalars into a `Subset`, records into a `Pool`.
    """

    kind: Literal["all", "any", "sum", "min", "max", "set"]
    generators: tuple[Generator, ...]
    body: Expr
    default: Expr | None
    type: Type
    where: Where


@immutable
class Call:
    """A pure helper function, elaborated for the types of these arguments."""

    function: Function
    arguments: tuple[Expr, ...]
    type: Type
    where: Where


Expr: TypeAlias = (
    Const | OpenConst | Name | StateField | RecordField | Index | Slice | Length | Not | And | Or | Choice
    | Arithmetic | Compare | Contains | SetOperation | IsMajority | Position | MemberAt | Some | IsNone | Unwrap
    | MakeRecord | Replace | MakeSubset | FullSubset | MakeSeq | Concat | MakePool | MakeMap | Quantified | Call
)  # fmt: skip


# --- places and statements --------------------------------------------------------------------------------------------


@immutable
class Place:
    """A cell of the state: a field, then zero or more indexes into maps and sequences. `type` is the cell's declared
    type."""

    field: str
    indexes: tuple[Expr, ...]
    type: Type
    where: Where


@immutable
class Require:
    """A guard. `text` is the conjunct's source text; each top-level conjunct of one `require` is a `Require` of its
    own."""

    condition: Expr
    text: str
    where: Where


@immutable
class Limit:
    """A guard of the bounds. `budget` is the constant's name when it is the implicit limit of a fault's budget;
    `bound_name` the name of the `@bound` that it asks, before anything else of the action."""

    condition: Expr
    text: str
    where: Where
    budget: str | None = None
    bound_name: str | None = None


@immutable
class Let:
    """Binds or rebinds a local name."""

    name: str
    value: Expr
    where: Where


@immutable
class Store:
    """`place = value`, range checked."""

    place: Place
    value: Expr
    where: Where


@immutable
class Append:
    """`place.append(value)` on a `Seq`; an error beyond its capacity."""

    place: Place
    value: Expr
    where: Where


@immutable
class Truncate:
    """`place.truncate(length)` on a `Seq`: keeps the first `length`; an error unless 0 <= length <= the present
    length."""

    place: Place
    length: Expr
    where: Where


@immutable
class Add:
    """`place.add(value)` on a `Subset` or `Pool`; an error beyond a pool's capacity (adding what a set has is no
    change)."""

    place: Place
    value: Expr
    where: Where


@immutable
class Remove:
    """`place.discard(value)`, or with `strict` `place.remove(value)`, an error when it is not there. A bag loses one
    copy."""

    place: Place
    value: Expr
    strict: bool
    where: Where


@immutable
class If:
    condition: Expr
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]
    where: Where


@immutable
class For:
    variable: str
    type: Type
    source: Source
    body: tuple[Statement, ...]
    where: Where


@immutable
class Assert:
    """An error of the model when false."""

    condition: Expr
    text: str
    where: Where


@immutable
class Return:
    """Returns from a helper or a property (never inside an action)."""

    value: Expr
    where: Where


Statement: TypeAlias = Require | Limit | Let | Store | Append | Truncate | Add | Remove | If | For | Assert | Return


# --- functions --------------------------------------------------------------------------------------------------------


@immutable
class Function:
    """A pure function: a helper (any parameters), an invariant or witness (`state`), a transition (`before`,
    `after`)."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    states: tuple[str, ...]
    body: tuple[Statement, ...]
    returns: Type
    where: Where
