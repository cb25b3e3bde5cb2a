#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Has a control group refuse UDP over IPv4 of its processes. It ends with the group.

Usage: filter.py DIRECTORY ingress|egress
"""

import ctypes
import os
import struct
import sys

BPF_PROG_LOAD, BPF_PROG_ATTACH = 5, 8
BPF_PROG_TYPE_CGROUP_SKB = 8
ATTACH_TYPES = {'ingress': 0, 'egress': 1}
SYS_BPF = {'x86_64': 321, 'aarch64': 280, 's390x': 351, 'riscv64': 280, 'ppc64le': 361}
DATA, DATA_END = 76, 80  # in struct __sk_buff
PROTOCOL, UDP = 9, 17


def instruction(code, to=0, source=0, offset=0, value=0):
    return struct.pack('=BBhi', code, source << 4 | to, offset, value)


# IP's header is where the packet begins. Each jump is to the last two
REFUSE = b''.join((
    instruction(0x61, 2, 1, DATA),                  # r2 = data
    instruction(0x61, 3, 1, DATA_END),              # r3 = its end
    instruction(0xbf, 4, 2),                        # r4 = r2
    instruction(0x07, 4, value=PROTOCOL + 1),       # r4 += 10
    instruction(0x2d, 4, 3, 4),                     # if r4 > r3: let it pass
    instruction(0x71, 0, 2, PROTOCOL),              # r0 = protocol
    instruction(0x55, 0, offset=2, value=UDP),      # if r0 != UDP: let it pass
    instruction(0xb7, 0, value=0), instruction(0x95),
    instruction(0xb7, 0, value=1), instruction(0x95)))


class Load(ctypes.Structure):
    _fields_ = [('type', ctypes.c_uint32), ('count', ctypes.c_uint32),
                ('instructions', ctypes.c_uint64), ('license', ctypes.c_uint64),
                ('log', ctypes.c_uint32 * 6), ('name', ctypes.c_char * 16),
                ('ifindex', ctypes.c_uint32), ('attach_type', ctypes.c_uint32)]


class Attach(ctypes.Structure):
    _fields_ = [('target', ctypes.c_uint32), ('program', ctypes.c_uint32),
                ('attach_type', ctypes.c_uint32), ('flags', ctypes.c_uint32)]


def bpf(command, attributes):
    ret = ctypes.CDLL(None, use_errno=True).syscall(
        SYS_BPF[os.uname().machine], command, ctypes.byref(attributes), ctypes.sizeof(attributes))
    if ret < 0:
        sys.exit('bpf: ' + os.strerror(ctypes.get_errno()))
    return ret


def main():
    directory, attach_type = sys.argv[1], ATTACH_TYPES[sys.argv[2]]
    code, text = ctypes.create_string_buffer(REFUSE, len(REFUSE)), ctypes.c_char_p(b'GPL')
    program = bpf(BPF_PROG_LOAD, Load(
        type=BPF_PROG_TYPE_CGROUP_SKB, count=len(REFUSE) // 8,
        instructions=ctypes.addressof(code), license=ctypes.cast(text, ctypes.c_void_p).value,
        attach_type=attach_type))
    group = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    bpf(BPF_PROG_ATTACH, Attach(target=group, program=program, attach_type=attach_type))


main()
