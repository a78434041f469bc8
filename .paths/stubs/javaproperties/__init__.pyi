"""The part of javaproperties that this project uses; its own types leave the kind of stream open."""

from collections.abc import Iterator
from typing import IO

class PropertiesElement:
    source: str

class KeyValue(PropertiesElement):
    key: str
    value: str

def parse(src: IO[str] | str) -> Iterator[PropertiesElement]: ...
def loads(s: str) -> dict[str, str]: ...
