"""`match`: over enums, bools and integers, tuples, records, and unions of records. It becomes `if`, `elif`, `else`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .. import ir
from ..records import KIND
from ..types import Bool, Enumeration, Option, Record, Type
from ..where import Where
from .comparisons import compare_values
from .expressions import BOOL, elaborate_condition
from .matching import field_of, member_part, number_of_member, to_member
from .operations import conjunction, disjunction
from .scope import Scope, elaborate_block, elaborate_expression, handles_statements
from .statements import StatementSink, elaborate_branches
from .type_text import describe
from .unions import is_one_of, record_type_named, unpack_tuple

Names = dict[str, ir.Expr]


@handles_statements(ast.Match)
def elaborate_match(scope: Scope, node: ast.Match, sink: StatementSink) -> bool:
    """`match subject: case ...`."""
    subject = elaborate_expression(scope, node.subject)
    is_fixed = isinstance(node.subject, ast.Name) and node.subject.id not in scope.assigned
    if not is_fixed and any(_is_taking_apart(case.pattern) for case in node.cases):
        name = scope.fresh_name("matched")
        sink.append(ir.Let(name, subject, scope.place_of(node.subject)))
        subject = ir.Name(name, subject.type, scope.place_of(node.subject))
    return _elaborate_cases(scope, subject, node.cases, frozenset(), sink)


def _is_taking_apart(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return any(map(_is_taking_apart, pattern.patterns))
    return isinstance(pattern, (ast.MatchClass, ast.MatchSequence)) or _is_capture(pattern)


def _is_capture(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.name is not None


def _elaborate_cases(
    scope: Scope, subject: ir.Expr, cases: list[ast.match_case], seen_members: frozenset[int], sink: StatementSink
) -> bool:
    if not cases:
        return False
    case = cases[0]
    names: Names = {}
    test = _condition_of_pattern(scope, subject, case.pattern, names)
    inner = scope.inner_scope()
    for name, value in names.items():
        inner.alias_name(name, value)
    if case.guard is not None:
        guard = elaborate_condition(inner, case.guard)
        test = guard if test is None else conjunction([test, guard], scope.place_of(case.pattern))
    else:
        seen_members = seen_members | _covered_numbers(test, subject.type)

    def take_case(within: Scope) -> tuple[tuple[ir.Statement, ...], bool]:
        for name, value in names.items():
            within.alias_name(name, value)
        return elaborate_block(within, case.body)

    if test is None or (case.guard is None and _is_exhaustive(subject.type, seen_members)):
        body, ends = take_case(scope)
        sink.extend(body)
        return ends

    def rest(within: Scope) -> tuple[tuple[ir.Statement, ...], bool]:
        others: StatementSink = []
        ends = _elaborate_cases(within, subject, cases[1:], seen_members, others)
        return tuple(others), ends

    return elaborate_branches(scope, test, take_case, rest, scope.place_of(case.pattern), sink)


# --- patterns ---------------------------------------------------------------------------------------------------------


def _condition_of_pattern(scope: Scope, subject: ir.Expr, pattern: ast.pattern, names: Names) -> ir.Expr | None:
    """The condition under which a pattern matches, None when it always does; adds the names that it binds."""
    where = scope.place_of(pattern)
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            test, value = (None, subject) if inner is None else _narrow_subject(scope, subject, inner, names)
            if name is not None:
                names[name] = value
            return test
        case ast.MatchOr(patterns=patterns):
            bound: Names = {}
            tests = [_condition_of_pattern(scope, subject, alternative, bound) for alternative in patterns]
            if bound:
                raise scope.noted_error("TG118", pattern, "a pattern of several binds no names", "a case for each")
            return None if None in tests else disjunction([asked for asked in tests if asked is not None], where)
        case ast.MatchValue(value=value):
            return _condition_of_equality(scope, subject, value, pattern)
        case ast.MatchSingleton(value=value):
            return _condition_of_equality(scope, subject, ast.copy_location(ast.Constant(value), pattern), pattern)
        case ast.MatchClass():
            return _condition_of_class(scope, subject, pattern, names)
        case ast.MatchSequence(patterns=patterns) if not any(isinstance(part, ast.MatchStar) for part in patterns):
            parts = unpack_tuple(scope, subject, len(patterns), pattern)
            return _match_all_parts(scope, zip(parts, patterns, strict=True), names, [], where)
        case _:
            hint = "case Enum.MEMBER, case A | B, case Vote(source=a), case (a, b), or case _"
            raise scope.noted_error("TG118", pattern, "this pattern is not in the language", hint)


def _narrow_subject(
    scope: Scope, subject: ir.Expr, pattern: ast.pattern, names: Names
) -> tuple[ir.Expr | None, ir.Expr]:
    """A pattern's condition, and the subject as what it is where the pattern matches: `case Vote() as vote`."""
    test = _condition_of_pattern(scope, subject, pattern, names)
    if isinstance(subject.type, Option) and isinstance(pattern, ast.MatchClass):
        subject = ir.Unwrap(subject, subject.type.of, scope.place_of(pattern))
    union = subject.type
    if isinstance(union, Record) and union.variants and isinstance(pattern, ast.MatchClass):
        at = number_of_member(union, record_type_named(scope, pattern.cls))
        assert at is not None, "the pattern was elaborated"
        return test, to_member(subject, union, at, subject.where)
    return test, subject


def _condition_of_class(scope: Scope, subject: ir.Expr, pattern: ast.MatchClass, names: Names) -> ir.Expr | None:
    """`case Vote(source=a)`."""
    where, tests = scope.place_of(pattern), list[ir.Expr]()
    if isinstance(subject.type, Option):
        tests.append(ir.Not(ir.IsNone(subject, BOOL, where), BOOL, where))
        subject = ir.Unwrap(subject, subject.type.of, where)
    record, type_ = record_type_named(scope, pattern.cls), subject.type
    if not isinstance(type_, Record) or record is None or (type_ != record and number_of_member(type_, record) is None):
        message = f"{ast.unparse(pattern.cls)} is not a record that {describe(type_)} can be"
        raise scope.noted_error("TG203", pattern, message, "a record of the union that is matched")
    at = number_of_member(type_, record)
    if at is not None:
        tests.append(is_one_of(subject, type_, [at], where))
    parts: list[tuple[ir.Expr, ast.pattern]] = []
    for name, inner in _fields_of(scope, record, pattern):
        if at is None:
            parts.append((field_of(subject, name, record.field_type(name)), inner))
        else:
            parts.append((member_part(subject, type_, at, name, where), inner))
    return _match_all_parts(scope, iter(parts), names, tests, where)


def _fields_of(scope: Scope, record: Record, pattern: ast.MatchClass) -> Iterator[tuple[str, ast.pattern]]:
    """The fields that a pattern asks for, those without a name in the order of the record."""
    known = [name for name, _ in record.fields]
    named = dict(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
    wrong = [name for name in named if name not in known]
    if wrong or len(pattern.patterns) > len(known):
        message = f"{record.name} has no field {wrong[0]}" if wrong else f"{record.name} has {len(known)} fields"
        raise scope.noted_error(
            "TG202", pattern, message, f"{record.name}({', '.join(f'{text}=...' for text in known)})"
        )
    return iter([*zip(known, pattern.patterns, strict=False), *named.items()])


def _match_all_parts(
    scope: Scope, parts: Iterator[tuple[ir.Expr, ast.pattern]], names: Names, tests: list[ir.Expr], where: Where
) -> ir.Expr | None:
    """The condition under which every part matches its pattern, after these tests."""
    for part, inner in parts:
        test = _condition_of_pattern(scope, part, inner, names)
        if test is not None:
            tests.append(test)
    return conjunction(tests, where) if tests else None


def _condition_of_equality(scope: Scope, subject: ir.Expr, value: ast.expr, pattern: ast.pattern) -> ir.Expr:
    if isinstance(value, ast.Constant) and value.value is None:
        return ir.IsNone(subject, BOOL, scope.place_of(pattern))
    return compare_values(scope, "==", subject, elaborate_expression(scope, value, subject.type), pattern)


# --- whether nothing is left ------------------------------------------------------------------------------------------


def _covered_numbers(test: ir.Expr | None, type_: Type) -> frozenset[int]:
    """The numbers of the constants, or of a union's records, that a pattern's condition asks for."""
    match test:
        case ir.Or(operands=operands):
            return frozenset[int]().union(*(_covered_numbers(operand, type_) for operand in operands))
        case ir.Compare(op="==", left=left, right=ir.Const(number=number)):
            is_kind = isinstance(left, ir.RecordField) and left.field == KIND and left.record.type == type_
            return frozenset({number}) if is_kind or left.type == type_ else frozenset()
        case _:
            return frozenset()


def _is_exhaustive(type_: Type, seen_members: frozenset[int]) -> bool:
    match type_:
        case Enumeration(members=members):
            return len(seen_members) == len(members)
        case Bool():
            return len(seen_members) == 2
        case Record(variants=variants):
            return bool(variants) and len(seen_members) == len(variants)
        case _:
            return False
