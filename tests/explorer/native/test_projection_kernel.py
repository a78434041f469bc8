"""The kernel under a mask: its own text, but for the mask."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from tidegate.explorer.native import kernel
from tidegate.explorer.native import projection_kernel as projecting


class _MaskRemover(ast.NodeTransformer):
    """Takes away masks, `x & kept(k)`, and docstrings."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """What stands under the mask."""
        self.generic_visit(node)
        masked = isinstance(node.op, ast.BitAnd) and ast.unparse(node.right) == "kept(k)"
        return node.left if masked else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """The body without its docstring."""
        self.generic_visit(node)
        node.body = [
            statement
            for statement in node.body
            if not (isinstance(statement, ast.Expr) and node.body.index(statement) == 0)
        ]
        return node


def _text_without_masks(function: Callable[..., Any]) -> str:
    return ast.unparse(_MaskRemover().visit(ast.parse(inspect.getsource(function))))


@pytest.mark.parametrize("masked", projecting.TEXTS, ids=lambda text: text.__name__)
def test_what_works_under_a_mask_is_the_kernels_own_text_but_for_the_mask(masked: Callable[..., Any]) -> None:
    """A change to the kernel's hash or look-up is one to both."""
    own = next(text for text in kernel.TEXTS if text.__name__ == masked.__name__)
    assert _text_without_masks(masked) == _text_without_masks(own)
    assert "kept(k)" in inspect.getsource(masked)
