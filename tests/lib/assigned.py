#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Who gave a device its name, as the kernel tells udev, which renames those that nobody named.

Usage: assigned.py DEVICE

Tells "user", "nobody", or "unknown": kernels before 6.11 do not say.
"""

import socket
import struct
import sys

NETLINK_RDMA = 20
NLM_F_REQUEST = 1
NLM_F_DUMP = 0x300
# RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET)
GET_DEVICES = 5 << 10 | 1
DEV_NAME = 2
NAME_ASSIGN_TYPE = 101
ASSIGNED = {0: "nobody", 1: "user"}


def parts(data, header):
    """What stands in data one after the other: its type and its content"""
    while len(data) >= header.size:
        length, kind = header.unpack_from(data)[:2]
        yield kind, data[header.size:length]
        data = data[(length + 3) & ~3:]


def devices():
    """Of each device its attributes"""
    message = struct.Struct("=IHHII")
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_RDMA) as netlink:
        netlink.send(message.pack(message.size, GET_DEVICES, NLM_F_REQUEST | NLM_F_DUMP, 1, 0))
        while True:
            for kind, content in parts(netlink.recv(1 << 16), message):
                if kind != GET_DEVICES:
                    return
                yield dict(parts(content, struct.Struct("=HH")))


def main():
    wanted = sys.argv[1].encode() + b"\0"
    for attributes in devices():
        if attributes[DEV_NAME] == wanted:
            kind = attributes.get(NAME_ASSIGN_TYPE)
            print(ASSIGNED[kind[0]] if kind else "unknown")
            return
    sys.exit("there is no " + sys.argv[1])


main()
