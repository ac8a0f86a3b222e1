"""Mail in compiled functions: the methods of mail, senders and send of a block."""

import ctypes
import functools
from collections import namedtuple

import numpy as np

from penumbra.blocks import NODES, find_numba, structures

class _Methods:
    """Methods of the mail of a block, which Numba finds by the kinds: all have the parameters (given, s, a, b)."""

    def __init__(self):
        (library, _, kinds), (numba, pointer) = structures(), find_numba()
        carray, uint64, mailbox, outbox = numba.carray, np.uint64, kinds["pen_mailbox"], kinds["pen_outbox"]
        grow = library.pen_outbox_grow
        grow.argtypes, grow.restype = [ctypes.c_int64, ctypes.c_int], None
        self._names = set()

        def in_mailbox(member):
            def of(kind, record):
                place, size = kind * mailbox.itemsize, record.itemsize if member == "records" else 8
                record = record if member == "records" else np.dtype("i8")

                def method(given, s, a=None, b=None):
                    box = carray(pointer(given.at + place), 1, mailbox)[0]
                    first = carray(pointer(box.first), NODES, np.int64)
                    return carray(pointer(box[member] + first[s] * size), first[s + 1] - first[s], record)
                return method
            return of

        def in_outbox(kind, record):
            place, size = kind * outbox.itemsize, record.itemsize

            def method(given, s, a=None, b=None):
                box = carray(pointer(given.at + place), 1, outbox)[0]
                if box.count == box.room:
                    grow(given.sender, kind)
                index = box.count
                box.count = index + 1
                carray(pointer(box["to"]), index + 1, np.int64)[index] = a
                carray(pointer(box.slots), index + 1, np.int32)[index] = s
                new = carray(pointer(box["records"] + index * size), 1, record)
                if b is None:
                    carray(pointer(box["records"] + index * size), size, np.uint8)[:] = 0
                else:
                    new[0] = b
                return new[0]
            return method

        self._ways = {"Mail": in_mailbox("records"), "Senders": in_mailbox("senders"), "Send": in_outbox}

    def _register(self, owner):
        numba, _ = find_numba()

        def register(name):
            def find(given, s, a=None, b=None):
                return getattr(given.instance_class, "methods", {}).get(name)
            numba.extending.overload_method(numba.types.BaseNamedTuple, name,
                                            jit_options={"error_model": "numpy"})(find)
        for name in owner.methods.keys() - self._names:
            register(name)
        self._names |= owner.methods.keys()

    def of(self, way, kinds):
        """A class of tuples of an address, and for sending the view's, with a method for each of these kinds {name:
        (index, record)} of mail."""
        owner = namedtuple(way, "at sender" if way == "Send" else "at")
        owner.methods = {name: self._ways[way](*kind) for name, kind in kinds.items()}
        self._register(owner)
        return owner

@functools.lru_cache(None)
def _methods():
    return _Methods()

@functools.lru_cache(None)
def _address():
    """A function that makes an address from a pointer."""
    numba, _ = find_numba()
    from numba.core import cgutils

    @numba.extending.intrinsic
    def address(_, given):
        return numba.types.int64(given), lambda _c, build, _s, values: build.ptrtoint(values[0], cgutils.intp_t)
    return address

def mail_tuples(sends, receives):
    """The names of a compiled function that gets these kinds {name: (index, record)}."""
    methods = _methods()
    return {"address": _address(), "Mail": methods.of("Mail", receives), "Senders": methods.of("Senders", receives),
            "Send": methods.of("Send", sends)}
