"""Holds memory that has left its own tables, so that no count of a process has it."""

import contextlib
import ctypes
import mmap
import os
import time

from _zoo import HOME, LIBC, denied, got, run, syscall

MIB = 2**20
BLOCK = 16 * MIB
ALLOWED, WANTED = 96 * MIB, 224 * MIB
"""What the rows of the catalogue allow these programs, and what they try to have."""
HUGE = 2 * MIB
MADV_HUGEPAGE = 14
kept = []


def hides_in_shared_pages():
    """Fills memory that a child would share, and gives it back: the pages stay where they are."""
    report("have {} MiB in pages that it could share", fill(lambda: mmap.mmap(-1, BLOCK)))


def hides_in_zero():
    """Does the same by way of a device that anybody may map; to read it is enough."""

    def block():
        zero = os.open("/dev/zero", os.O_RDONLY)
        try:
            return mmap.mmap(zero, BLOCK, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
        finally:
            os.close(zero)

    report("have {} MiB of /dev/zero", fill(block, reads=True))


def fill(block, reads=False):
    """Fills as many blocks as it wants and may have; returns the bytes that it holds."""
    with contextlib.suppress(OSError):
        while len(kept) * BLOCK < WANTED:
            area = block()
            for start in range(0, BLOCK, MIB):
                for at in range(start, start + MIB, mmap.PAGESIZE):
                    if reads:
                        area[at]
                    else:
                        area[at] = 1
                area.madvise(mmap.MADV_DONTNEED, start, MIB)
            kept.append(area)
        time.sleep(2)
    return len(kept) * BLOCK


def hides_in_gifts():
    """Gives pipes a byte of each large page and takes the page out of its own tables."""
    area = mmap.mmap(-1, WANTED + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    kept.append(area)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    held = 0
    with contextlib.suppress(OSError):
        for at in range(start + -start % HUGE, start + WANTED, HUGE):
            LIBC.madvise(ctypes.c_void_p(at), ctypes.c_size_t(HUGE), MADV_HUGEPAGE)
            ctypes.memset(at, 1, HUGE)
            if held % (12 * HUGE) == 0:
                _, pipe = os.pipe()
                os.set_blocking(pipe, False)
            syscall("vmsplice", pipe, (ctypes.c_size_t * 2)(at, 1), 1, 0)
            LIBC.madvise(ctypes.c_void_p(at), ctypes.c_size_t(HUGE), mmap.MADV_DONTNEED)
            held += HUGE
        time.sleep(2)
    report("have {} MiB in pages that lie in pipes", held)


def hides_in_splices():
    """Leaves a byte of each large page of a file in pipes, and empties the file."""
    held, path = 0, HOME / "long"
    with contextlib.suppress(OSError):
        while held < WANTED:
            _, pipe = os.pipe()
            kept.append(pipe)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            os.write(file, os.urandom(8 * MIB))
            for at in range(0, 8 * MIB, MIB):
                if held % (2 * MIB):
                    os.sendfile(pipe, file, at, 1)
                else:
                    os.splice(file, pipe, 1, offset_src=at)
                held += MIB
            os.close(file)
            path.unlink()
        time.sleep(2)
    report("have {} MiB in pages of files that lie in pipes", held)


def report(what, size):
    """Says how it went: it worked if more is held than is allowed."""
    (got if size > ALLOWED else denied)(what.format(size // MIB))


run(when_asked=(hides_in_shared_pages, hides_in_zero, hides_in_gifts, hides_in_splices))
