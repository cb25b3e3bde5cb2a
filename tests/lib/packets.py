#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks the RoCEv2 packets of a capture as a NIC would: lengths, ICRC, identification of IPv4.

Usage: packets.py FILE MTU, FILE as tcpdump writes it. A flow (addresses and ports) has to count the
identification up by one from packet to packet. Prints how many packets there were, and what is
wrong with the first of those that are; fails when any is, or when there is none.
"""

import struct
import sys
import zlib

ETHERNET, IPV4, IPV6, UDP, ROCE = 14, 20, 40, 8, 4791
MAGICS = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">"}


def frames(path):
    """What was captured of each frame, and its length on the wire"""
    with open(path, "rb") as file:
        order = MAGICS[file.read(24)[:4]]
        while header := file.read(16):
            _, _, captured, length = struct.unpack(order + "IIII", header)
            yield file.read(captured), length


def icrc(packet, version):
    """Of IP to the last byte in front of the ICRC, IBTA annex A17"""
    masked = bytearray(b"\xff" * 8 + packet[:-4])
    if version == 4:
        changing, udp = [1, 8, 10, 11], IPV4
    else:
        changing, udp = [1, 2, 3, 7], IPV6
        masked[8] |= 0x0f
    for index in changing + [udp + 6, udp + 7, udp + UDP + 4]:
        masked[8 + index] = 0xff
    return struct.pack("<I", zlib.crc32(masked))


def check(packet, identifications):
    """None, or what is wrong"""
    version = packet[0] >> 4
    header = IPV4 if version == 4 else IPV6
    total, = struct.unpack_from(">H", packet, 2 if version == 4 else 4)
    length, = struct.unpack_from(">H", packet, header + 4)
    if total + (0 if version == 4 else header) != len(packet) or length != len(packet) - header:
        return "the lengths do not agree"
    if icrc(packet, version) != packet[-4:]:
        return "the ICRC is wrong"
    if version == 6:
        return None
    number, = struct.unpack_from(">H", packet, 4)
    flow = packet[12:header + 4]
    expected = identifications.get(flow, number)
    identifications[flow] = (number + 1) & 0xffff
    return None if number == expected else f"identification {number}, not {expected}"


def is_roce(packet):
    version = packet[0] >> 4
    header, protocol = (IPV4, 9) if version == 4 else (IPV6, 6)
    return (version in (4, 6) and len(packet) > header + UDP and packet[protocol] == 17 and
            struct.unpack_from(">H", packet, header + 2)[0] == ROCE)


def main():
    path, mtu = sys.argv[1], int(sys.argv[2])
    identifications, packets, wrong = {}, 0, []
    for frame, length in frames(path):
        packet = frame[ETHERNET:]
        if not is_roce(packet):
            continue
        packets += 1
        problem = check(packet, identifications)
        if len(packet) != length - ETHERNET:
            problem = "not captured whole"
        elif len(packet) > mtu:
            problem = f"{len(packet)} bytes, beyond the MTU"
        if problem:
            wrong.append(f"packet {packets}: {problem}")
    print(f"{packets} packets, {len(wrong)} wrong")
    print("\n".join(wrong[:5]))
    sys.exit(bool(wrong) or not packets)


if __name__ == "__main__":
    main()
