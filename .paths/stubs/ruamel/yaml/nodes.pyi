"""The part of ruamel.yaml that this project uses, typed."""

class Mark:
    line: int

class Node:
    tag: str
    start_mark: Mark

class ScalarNode(Node):
    value: str
    style: str | None

class SequenceNode(Node):
    value: list[Node]

class MappingNode(Node):
    value: list[tuple[Node, Node]]
