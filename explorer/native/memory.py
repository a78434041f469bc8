"""Memory for millions of states: address space reserved once, pages taken as they are touched, huge where the system
allows."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
from typing import TYPE_CHECKING

from ...language.errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

HUGE = 1 << 21
POPULATE_WRITE = 23
"""Linux's MADV_POPULATE_WRITE, which Python's mmap does not name."""
_LIBC = ctypes.CDLL(None)


class NoMemoryError(UsageError):
    """Address space that cannot be had: exit 64, with what gives or saves some."""

    def __init__(self, size: int, error: OSError) -> None:
        super().__init__(
            f"{size / 2**20:,.0f} MiB of address space cannot be had ({error.strerror}); give the search less with "
            "--memory, or this process more (ulimit -v)"
        )


class Region:
    """Anonymous memory of up to `size` bytes, zero until written. Only touched pages cost anything. Raises
    NoMemoryError."""

    def __init__(self, size: int) -> None:
        self.size = max(HUGE, -(-size // HUGE) * HUGE)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        try:
            self._map = mmap.mmap(-1, self.size, flags=flags)
        except OSError as error:
            raise NoMemoryError(self.size, error) from None
        if hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):  # a kernel without huge pages
                self._map.madvise(mmap.MADV_HUGEPAGE)
        self._view = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._view)

    def words(self, address: int, count: int) -> tuple[int, ...]:
        """`count` words from byte `address` on."""
        return tuple((ctypes.c_uint64 * count).from_address(self.address + address))

    def write(self, address: int, words: tuple[int, ...]) -> None:
        """Write words from byte `address` on."""
        (ctypes.c_uint64 * len(words)).from_address(self.address + address)[:] = words

    def view(self, size: int) -> memoryview:
        """The first `size` bytes, as they are; valid until `close`."""
        return memoryview((ctypes.c_char * size).from_address(self.address)).cast("B")

    def populate(self, begin: int, end: int) -> None:
        """Take the pages from byte `begin` to byte `end` now, all in all at most the region's size.

        Only a hint: where the system does not know it, pages are taken when they are touched.
        """
        begin, end = begin // HUGE * HUGE, min(self.size, -(-end // HUGE) * HUGE)
        if end > begin:
            _LIBC.madvise(ctypes.c_void_p(self.address + begin), ctypes.c_size_t(end - begin), POPULATE_WRITE)

    def clear(self, size: int) -> None:
        """Zero the first `size` bytes, keeping their pages."""
        ctypes.memset(self.address, 0, size)

    def half_word(self, index: int) -> int:
        """The 32-bit number at `index`."""
        return ctypes.c_uint32.from_address(self.address + 4 * index).value

    def set_half(self, index: int, value: int) -> None:
        """Write the 32-bit number at `index`."""
        ctypes.c_uint32.from_address(self.address + 4 * index).value = value

    def close(self) -> None:
        """Give the memory back."""
        del self._view
        self._map.close()


class PageToucher:
    """Takes pages a little ahead of a search, on a thread of its own: where memory comes slowly, as from the host of
    a virtual machine, it is a fifth of the time of a large search."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._taken: dict[int, int] = {}

    def touch_soon(self, region: Region, size: int) -> None:
        """The region's first `size` bytes will be touched soon."""
        taken = self._taken.get(region.address, 0)
        if size > taken + HUGE:
            self._taken[region.address] = size
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor  # which loads more than a small search needs

                self._pool = ThreadPoolExecutor(1)
            self._pool.submit(region.populate, taken, size)

    def close(self) -> None:
        """Wait for what is under way; to be called before any region is closed."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
