"""A small machine language in Python's clothes, for the explorer's own inner loops.

The kernel's loops (see `kernel`) are written as Python functions over unsigned 64-bit words and compiled here:
assignment, `if`, `while`, `for i in range(n)`, arithmetic, comparisons, `p[i]` (the i-th word at address p), and
calls. Names in capitals are numbers given at compile time. It is for us, not for authors: no checks, no bounds, C's
speed.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any

from llvmlite import ir

I1, I8, I32, I64, I128 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128))
WORDS = I64.as_pointer()

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "lshr", ast.FloorDiv: "udiv", ast.Mod: "urem",
}  # fmt: skip


def word(number: int) -> ir.Constant:
    """A 64-bit constant, taken modulo 2**64."""
    return ir.Constant(I64, number & (1 << 64) - 1)


def address(builder: ir.IRBuilder, base: ir.Value, index: ir.Value) -> ir.Value:
    """The address of the `index`-th word after `base` (a pointer to words)."""
    return builder.gep(base, [index], inbounds=True)


def _load32(builder: ir.IRBuilder, base: ir.Value, index: ir.Value) -> ir.Value:
    cell = builder.gep(builder.inttoptr(base, I32.as_pointer()), [index])
    return builder.zext(builder.load(cell), I64)


def _store32(builder: ir.IRBuilder, base: ir.Value, index: ir.Value, value: ir.Value) -> ir.Value:
    cell = builder.gep(builder.inttoptr(base, I32.as_pointer()), [index])
    builder.store(builder.trunc(value, I32), cell)
    return word(0)


def _store64(builder: ir.IRBuilder, base: ir.Value, index: ir.Value, value: ir.Value) -> ir.Value:
    builder.store(value, builder.gep(builder.inttoptr(base, WORDS), [index]))
    return word(0)


def _load64(builder: ir.IRBuilder, base: ir.Value, index: ir.Value) -> ir.Value:
    return builder.load(builder.gep(builder.inttoptr(base, WORDS), [index]))


def _wide_product(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> tuple[ir.Value, ir.Value]:
    product = builder.mul(builder.zext(left, I128), builder.zext(right, I128))
    return builder.trunc(product, I64), builder.trunc(builder.lshr(product, ir.Constant(I128, 64)), I64)


def high(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """The upper word of a product: scales a hash to a table's size without a division."""
    return _wide_product(builder, left, right)[1]


def mix(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """Both halves of a product folded together: one round of a fast, good hash."""
    low, top = _wide_product(builder, left, right)
    return builder.xor(low, top)


def prefetch(builder: ir.IRBuilder, where: ir.Value) -> ir.Value:
    """Ask for a cache line that will be read soon."""
    asked = [builder.inttoptr(where, I8.as_pointer()), *(ir.Constant(I32, number) for number in (0, 3, 1))]
    builder.call(prefetch_function(builder.module), asked)
    return word(0)


def prefetch_function(module: ir.Module) -> ir.Function:
    """LLVM's own function for it, which a module declares once."""
    name, pointer = "llvm.prefetch.p0", I8.as_pointer()
    known = module.globals.get(name)
    return known or ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32]), name)


def fetch_add(builder: ir.IRBuilder, where: ir.Value, amount: ir.Value) -> ir.Value:
    """Add to a word that threads share; the value before."""
    return builder.atomic_rmw("add", builder.inttoptr(where, WORDS), amount, "acq_rel")


def swap_if(builder: ir.IRBuilder, where: ir.Value, old: ir.Value, new: ir.Value) -> ir.Value:
    """Replace a shared word that is still `old`; 1 when this thread did."""
    result = builder.cmpxchg(builder.inttoptr(where, WORDS), old, new, "acq_rel", "acquire")
    return builder.zext(builder.extract_value(result, 1), I64)


def load_shared(builder: ir.IRBuilder, where: ir.Value) -> ir.Value:
    """Read a shared word, and see what its writer wrote before it."""
    return builder.load_atomic(builder.inttoptr(where, WORDS), "acquire", 8)


def store_shared(builder: ir.IRBuilder, where: ir.Value, value: ir.Value) -> ir.Value:
    """Write a shared word after everything written before it."""
    builder.store_atomic(value, builder.inttoptr(where, WORDS), "release", 8)
    return word(0)


BUILTINS: Mapping[str, Callable[..., ir.Value]] = {
    "load32": _load32, "store32": _store32, "load64": _load64, "store64": _store64,
    "high": high, "mix": mix, "prefetch": prefetch,
    "fetch_add": fetch_add, "swap_if": swap_if, "load_shared": load_shared, "store_shared": store_shared,
}  # fmt: skip


class _Compiler(ast.NodeVisitor):
    """One function: every name is a stack slot, which LLVM turns into a register."""

    def __init__(
        self, function: ir.Function, names: list[str], numbers: Mapping[str, int], calls: Mapping[str, Any]
    ) -> None:
        self.function = function
        self.numbers = numbers
        self.calls = calls
        self.entry = ir.IRBuilder(function.append_basic_block("entry"))
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
        self.slots: dict[str, ir.Value] = {}
        for name, argument in zip(names, function.args, strict=True):
            self.builder.store(argument, self._slot(name))

    def finish(self, body: list[ast.stmt]) -> None:
        """Compile the statements and close the function."""
        self._compile_block(body)
        if not self.builder.block.is_terminated:
            self.builder.ret(word(0))
        self.entry.branch(self.function.basic_blocks[1])

    def _slot(self, name: str) -> ir.Value:
        if name not in self.slots:
            self.slots[name] = self.entry.alloca(I64, name=name)
        return self.slots[name]

    def _compile_block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.builder.block.is_terminated:
                return
            self.visit(statement)

    def _compile_value(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.Constant(value=int(number)):
                return word(number)
            case ast.Name(id=name) if name in self.numbers:
                return word(self.numbers[name])
            case ast.Name(id=name):
                return self.builder.load(self.slots[name])
            case ast.BinOp(left=left, op=op, right=right):
                return getattr(self.builder, _OPERATORS[type(op)])(
                    self._compile_value(left), self._compile_value(right)
                )
            case ast.Subscript(value=base, slice=index):
                return _load64(self.builder, self._compile_value(base), self._compile_value(index))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._compile_call(name, [self._compile_value(argument) for argument in args])
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp():
                return self.builder.zext(self._compile_condition(node), I64)
            case _:
                raise SyntaxError(f"not in the machine language: {ast.unparse(node)}")

    def _compile_call(self, name: str, arguments: list[ir.Value]) -> ir.Value:
        if name in BUILTINS:
            return BUILTINS[name](self.builder, *arguments)
        callee = self.calls[name]
        wanted: list[ir.Type] = [argument.type for argument in callee.args]
        return self.builder.call(
            callee,
            [
                self.builder.inttoptr(value, type_) if isinstance(type_, ir.PointerType) else value
                for value, type_ in zip(arguments, wanted, strict=True)
            ],
        )

    def _compile_condition(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.builder.icmp_unsigned(
                    _COMPARISONS[type(op)], self._compile_value(left), self._compile_value(right)
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.builder.not_(self._compile_condition(operand))
            case ast.BoolOp(op=op, values=[first, *rest]):
                return self._short_circuit(isinstance(op, ast.And), first, rest)
            case _:
                return self.builder.icmp_unsigned("!=", self._compile_value(node), word(0))

    def _short_circuit(self, is_and: bool, first: ast.expr, rest: list[ast.expr]) -> ir.Value:
        slot = self.entry.alloca(I1)
        self.builder.store(self._compile_condition(first), slot)
        for node in rest:
            more, done = self.function.append_basic_block(), self.function.append_basic_block()
            so_far = self.builder.load(slot)
            self.builder.cbranch(so_far, *((more, done) if is_and else (done, more)))
            self.builder.position_at_end(more)
            self.builder.store(self._compile_condition(node), slot)
            self.builder.branch(done)
            self.builder.position_at_end(done)
        return self.builder.load(slot)

    def visit_Assign(self, node: ast.Assign) -> None:
        (target,), value = node.targets, self._compile_value(node.value)
        if isinstance(target, ast.Subscript):
            _store64(self.builder, self._compile_value(target.value), self._compile_value(target.slice), value)
        else:
            assert isinstance(target, ast.Name)
            self.builder.store(value, self._slot(target.id))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        source = ast.parse(ast.unparse(node.target), mode="eval").body
        self.visit_Assign(ast.Assign([node.target], ast.BinOp(source, node.op, node.value)))

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self._compile_value(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        self.builder.ret(word(0) if node.value is None else self._compile_value(node.value))

    def visit_If(self, node: ast.If) -> None:
        yes, no, done = (self.function.append_basic_block() for _ in range(3))
        self.builder.cbranch(self._compile_condition(node.test), yes, no)
        for block, body in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            self._compile_block(body)
            if not self.builder.block.is_terminated:
                self.builder.branch(done)
        self.builder.position_at_end(done)

    def visit_While(self, node: ast.While) -> None:
        test, body, done = (self.function.append_basic_block() for _ in range(3))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        self.builder.cbranch(self._compile_condition(node.test), body, done)
        self.builder.position_at_end(body)
        self._compile_block(node.body)
        if not self.builder.block.is_terminated:
            self.builder.branch(test)
        self.builder.position_at_end(done)

    def visit_For(self, node: ast.For) -> None:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[stop])):
                self.builder.store(word(0), self._slot(name))
                step = ast.parse(f"{name} += 1").body
                test = ast.Compare(ast.Name(name), [ast.Lt()], [stop])
                self.visit_While(ast.While(test, [*node.body, *step], []))
            case _:
                raise SyntaxError("machine loops are `for name in range(count)`")

    def generic_visit(self, node: ast.AST) -> None:
        raise SyntaxError(f"not in the machine language: {ast.unparse(node)}")


def _text_of(text: Callable[..., Any]) -> ast.FunctionDef:
    """The text of a function: from its module's `SOURCE` where there is one, which is what was read at import."""
    source = getattr(sys.modules[text.__module__], "SOURCE", None)
    if source is not None:
        return _functions_in(source)[text.__name__]
    tree = ast.parse(textwrap.dedent(inspect.getsource(text))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


@lru_cache(maxsize=8)
def _functions_in(source: str) -> dict[str, ast.FunctionDef]:
    return {statement.name: statement for statement in ast.parse(source).body if isinstance(statement, ast.FunctionDef)}


class _ExternalFunction(ir.Function):
    """A function that is compiled and written out once, however many modules have it: its origin decides its text."""

    origin: Hashable
    """What it is made from: the function in the machine language, the numbers and the functions that it names."""
    text: str | None
    """Its text, where it was written out before; its body is empty then."""

    def __str__(self) -> str:
        if self.text is None:
            self.text = super().__str__()
            if len(_TEXTS) < MAX_KEPT_FUNCTIONS:
                _TEXTS[self.origin] = self.text
        return self.text


MAX_KEPT_FUNCTIONS = 1000
"""Texts of functions that a process keeps, of some ten kilobytes each. A kernel has thirty, and kernels of models whose
states have as many words and whose constants are as open share most of them."""

_TEXTS: dict[Hashable, str] = {}


@lru_cache(maxsize=128)
def _names_of_function(text: Callable[..., Any]) -> tuple[str, ...]:
    """Every name in a function, in order."""
    return tuple(sorted({node.id for node in ast.walk(_text_of(text)) if isinstance(node, ast.Name)}))


def compile_function(
    module: ir.Module,
    text: Callable[..., Any],
    numbers: Mapping[str, int],
    calls: Mapping[str, Any],
    *,
    internal: bool = False,
) -> ir.Function:
    """Compile a machine-language function into `module` under its own name; an `internal` one is seen there alone.

    All parameters and the result are words. `numbers` gives the capital names, `calls` the functions it may call.
    """
    tree = _text_of(text)
    names = [argument.arg for argument in tree.args.args]
    function = _ExternalFunction(module, ir.FunctionType(I64, [I64] * len(names)), tree.name)
    function.linkage = "internal" if internal else ""
    called = {
        name: f"{calls[name].name} {calls[name].function_type}" for name in _names_of_function(text) if name in calls
    }
    given = {name: numbers[name] for name in _names_of_function(text) if name in numbers}
    function.origin = (text, internal, *called.items(), *given.items())
    function.text = _TEXTS.get(function.origin)
    if function.text is None:
        _Compiler(function, names, numbers, calls).finish(tree.body)
    elif "prefetch" in _names_of_function(text):
        prefetch_function(module)
    return function
