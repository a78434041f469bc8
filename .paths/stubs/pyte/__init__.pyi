from collections.abc import Callable

class Screen:
    display: list[str]
    write_process_input: Callable[[str], object]
    def __init__(self, columns: int, lines: int) -> None: ...

class ByteStream:
    def __init__(self, screen: Screen) -> None: ...
    def feed(self, data: bytes) -> None: ...
