"""What must hold of KRaft whose voters change: all that must hold of KRaft, and `properties`. KRaft's lemmas are for
voters that stay the same; they are here since only they read what the proof remembers, which searches leave out."""

from __future__ import annotations

from ..kraft import proof
from ..kraft import properties as of_kraft
from . import properties

modules = (of_kraft, properties, proof)
