"""The filter of system calls, run by a small machine of its own."""

import struct
from errno import ENOSYS

import pytest

from plansolve.apps.judge.system_calls import FILTERED_MACHINES, call_filter

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
READ, SOCKET, KEYCTL, MEMFD = (
    {"x86_64": 0, "aarch64": 63},
    {"x86_64": 41, "aarch64": 198},
    {"x86_64": 250, "aarch64": 219},
    {"x86_64": 319, "aarch64": 279},
)
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | ENOSYS


def verdict(code, architecture, number, first=0):
    """What the kernel does with a call, by the instructions that are used here."""
    data = struct.pack("IIQ6Q", number, architecture, 0, first, *[0] * 5)
    instructions = list(struct.iter_unpack("HBBI", code))
    place = value = 0
    while True:
        kind, yes, no, constant = instructions[place]
        place += 1
        match kind:
            case 0x20:
                (value,) = struct.unpack_from("I", data, constant)
            case 0x15:
                place += yes if value == constant else no
            case 0x35:
                place += yes if value >= constant else no
            case 0x06:
                return constant
            case _:
                raise AssertionError(f"instruction {kind:#x}")


@pytest.mark.parametrize("machine", FILTERED_MACHINES)
def test_it_refuses_what_it_says(machine):
    code, architecture = call_filter(machine), ARCHITECTURES[machine]
    refused = {n for n in range(500) if verdict(code, architecture, n) != ALLOWED}
    assert len(refused) == 8 and {KEYCTL[machine], MEMFD[machine]} <= refused
    assert {verdict(code, architecture, n) for n in refused} == {REFUSED}
    assert READ[machine] not in refused
    families = [f for f in range(64) if verdict(code, architecture, SOCKET[machine], f) != ALLOWED]
    assert families == [40]


@pytest.mark.parametrize("machine", FILTERED_MACHINES)
def test_calls_by_other_numbers_are_refused(machine):
    code = call_filter(machine)
    other = ARCHITECTURES["aarch64" if machine == "x86_64" else "x86_64"]
    for architecture, number in ((other, READ[machine]), (0x40000003, 3)):
        assert verdict(code, architecture, number) == REFUSED
    assert verdict(code, ARCHITECTURES[machine], 0x40000000 + READ[machine]) == REFUSED


def test_other_machines_have_no_filter():
    assert call_filter("riscv64") == b""
