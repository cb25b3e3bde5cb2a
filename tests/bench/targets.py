# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What svt wants to reach against rxe and TCP, and whether a table of `make bench` has it.

A target is a name, a function of the table that gives a figure or None (something was not
measured), and what the figure has to be at least or at most.
"""

# Times rxe that a stream of 64 KiB and 1 MiB has to be
STREAM = {"6.1": 3.5, "6.12": 4.0}
SAME_HOST = "svt same host write 65536"


class Table:
    """Values by (measure, bytes), then system; instructions by measure, then layer"""

    def __init__(self, values, layers):
        self.values = {(measure, size, unit): row for (measure, size, unit), row in values.items()}
        self.layers = layers

    def get(self, measure, size, system="svt"):
        for (name, bytes_, _), row in self.values.items():
            if (name, bytes_) == (measure, size):
                return row.get(system)
        return None

    def ratio(self, measure, size, other, system="svt"):
        """How many times @other's figure"""
        mine, others = self.get(measure, size, system), self.get(measure, size, other)
        return mine / others if mine and others else None

    def without_icrc(self, size):
        """SEND against TCP, the ICRC's own instructions set aside: what it adds to a copy"""
        layers = self.layers.get(f"svt send {size}", {})
        rate, tcp = self.get("send", size), self.get("send", size, "tcp")
        if not rate or not tcp or not layers:
            return None
        copy = layers.get("receiver's copy", 0)
        icrc = max(layers.get("copy of the sender and ICRCs", 0) - copy, 0)
        message = size / (rate * 2**20) * 1e9
        return rate * message / (message - icrc) / tcp

    def same_host(self):
        """Instructions of the kernel for a WRITE of 64 KiB, times those of one memcpy"""
        layers = self.layers.get(SAME_HOST, {})
        copy = layers.get("receiver's copy")
        kernel = sum(count for layer, count in layers.items()
                     if layer not in ("program", "libibverbs and provider"))
        return kernel / copy if copy else None

    def spread(self):
        """The cost of a WRITE with 64 QPs, times that with one"""
        one, many = self.get("write 1 QP", 64), self.get("write 64 QP", 64)
        return one / many if one and many else None

    def kept(self, operation, percent):
        """The part of the rate that is left when packets are lost"""
        rate = self.get(f"{operation} {percent} % lost", 65536)
        whole = self.get(operation, 65536)
        return rate / whole if rate and whole else None

    def tail(self, system):
        """What a flood on the wire does to the slowest of 100 messages"""
        alone, beside = (self.get(f"99 % latency beside {what}", 64, system)
                         for what in ("nothing", "a flood"))
        return beside / alone if alone and beside else None


def targets(table, kernel):
    """[(name, figure or None, at least, at most)]"""
    stream = STREAM.get(kernel, 4.0)
    found = [(f"{operation} of {size >> 10} KiB, times rxe",
              table.ratio(operation, size, "rxe"), stream, None)
             for operation in ("send", "write", "read") for size in (65536, 1048576)]
    found += [
        ("send of 64 KiB, times TCP", table.ratio("send", 65536, "tcp"), None, None),
        ("the same without the ICRC", table.without_icrc(65536), 1.2, None),
        ("send of 64 KiB on a NIC's wire, times rxe",
         table.ratio("NIC send", 65536, "rxe"), None, None),
        ("send of 64 KiB on a NIC's wire, times TCP",
         table.ratio("NIC send", 65536, "tcp"), None, None),
        ("SENDs of 64 bytes, times rxe", table.ratio("send 1 QP", 64, "rxe"), 15, None),
        ("WRITEs of 64 bytes, times rxe", table.ratio("write 1 QP", 64, "rxe"), 15, None),
        ("latency of 64 bytes, part of rxe's", table.ratio("send latency", 64, "rxe"), None, 0.5),
        ("latency of 64 bytes, part of TCP's", table.ratio("send latency", 64, "tcp"), None, 1),
        ("READs of 4 KiB, times rxe", table.ratio("read rate", 4096, "rxe"), 6, None),
        ("FETCH_AND_ADD, times rxe", table.ratio("fetch and add", 8, "rxe"), 6, None),
        ("cost of a WRITE, 64 QPs to 1", table.spread(), None, 1.2),
        ("system calls per posted SEND", table.get("calls per post of SEND", 65536), None, 0.02),
        ("system calls per posted WRITE", table.get("calls per post of WRITE", 65536), None, 0.02),
        ("WRITE of 64 KiB on one host, times memcpy", table.same_host(), None, 1.5),
        ("bytes of a connected QP", table.get("memory of a QP", 0), None, 8192),
    ]
    found += [(f"99 % latency beside a flood, times alone{of}", table.tail(system), None, most)
              for system, of, most in (("svt", "", 3), ("tcp", ", TCP", None))]
    for percent, least in (("0.1", 0.95), ("1", 0.6), ("5", 0.25)):
        found += [(f"{operation} with {percent} % lost, of without",
                   table.kept(operation, percent), least, None)
                  for operation in ("send", "read")]
    found += [(f"{operation} {way} rxe, times rxe to rxe",
               table.ratio(f"{way} rxe {operation}", 65536, "rxe"), 1, None)
              for way in ("to", "from") for operation in ("send", "write", "read")]
    return found


def verdict(figure, least, most):
    if figure is None:
        return "not measured"
    if least is None and most is None:
        return ""
    return "met" if (least is None or figure >= least) and (most is None or figure <= most) \
        else "NOT MET"


def show(found):
    """Prints a line for each; returns how many are met and how many there are"""
    met = wanted = 0
    width = max(len(name) for name, *_ in found)
    for name, figure, least, most in found:
        word = verdict(figure, least, most)
        limit = f"at least {least:g}" if least is not None else \
            f"at most {most:g}" if most is not None else ""
        number = "" if figure is None else f"{figure:.4g}"
        print(f"{name:{width}}  {number:>8}  {limit:14}  {word}".rstrip())
        met += word == "met"
        wanted += bool(limit)
    return met, wanted
