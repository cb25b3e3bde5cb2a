#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where the instructions of a message go, layer by layer.

Usage: layers.py MEASURE PERIOD SHORT LONG DIRECTORY. DIRECTORY has report.SHORT and report.LONG, of
two runs of so many messages (`perf report --stdio --sort dso,symbol -F sample,dso,symbol`, a sample
for each PERIOD instructions), and the guest's kallsyms. What both runs did besides, as starting,
is in both: the difference is that of LONG - SHORT messages. Writes lines "MEASURE,LAYER,COUNT".
"""

import collections
import pathlib
import re
import sys

# The first that matches "MODULE SYMBOL"; the kernel itself is [kernel], a program its name
LAYERS = [
    (None, r"safe_halt|default_idle|acpi_.*idle|cpuidle"),
    ("libibverbs and provider", r"^(libibverbs|libsvt|librxe|librdmacm)"),
    ("program", r"^[^\[]|\[vdso\]"),
    ("copy of the sender and ICRCs", r"^\[svt_roce\] (roce_crc|roce_vector|roce_icrc|fold|fill_block|"
                              r"put_p|put_one|put_long|put_bth)"),
    ("sender's packets", r"^\[svt_roce\] (put_|add_piece|find_room|alloc_packets|roce_xmit|send_|"
                        r"merge_|roce_route|most_|count_drops|payload|flow|roce_flow)"),
    ("receiver's packets", r"^\[svt_roce\]"),
    ("receiver's copy", r"^\[svt\] svt_region_fill|^\[kernel\] (memcpy_orig|__memcpy|memcpy)$"),
    ("responder", r"^\[svt\] svt_(responder|message|receive|rc_|uc_|ud_|answer|resource|read_|"
                  r"source|scatter_to|target|write_allowed|aeth|taken|batch|srq)"),
    ("completer", r"^\[svt\] svt_(completer|una|acknowledged|take_credits|answered|scatter$|"
                  r"psn_expected|grant)"),
    ("memory keys", r"^\[svt\] (svt_region|svt_key|region_|block_bvec|window_|kernel_bvec)"),
    ("rings and CQs", r"^\[svt\] (svt_ring|svt_cq|svt_send_wqe|svt_recv_wqe|header_ok|copy_tail|"
                      r"disarm|fill$|svt_complete$)"),
    ("packets to QPs", r"^\[svt\] svt_(side|qp_receive|parse|find_more|peek|bytes_at|qp_lookup|"
                       r"packet_parse|opcode_info|from_peer|may_run)"),
    ("requester", r"^\[svt\]"),
    ("rxe", r"^\[rdma_rxe\]"),
    ("uverbs", r"^\[(ib_uverbs|ib_core)\]"),
    ("TCP", r"^\[kernel\] (__)?(tcp_|inet_|sock_|sk_|lock_sock|release_sock)"),
    ("skbs and memory", r"^\[kernel\] (.*skb|kmem_cache|k(v)?m?alloc|kfree|__kmalloc|_*slab|"
                        r"page_frag|get_page|_*free_|__rmqueue|rmqueue|mem(set|cmp|move)|"
                        r"sock_wfree|refill)"),
    ("netdevs", r"^\[veth\]|^\[kernel\] (dev_|__dev|_*netif|net_rx|_*napi|process_backlog|"
                r"enqueue_to|validate_xmit|sch_|pfifo|_*qdisc|gro_|eth_)"),
    ("IP and netfilter", r"^\[(nf_|nft|ip_?tables|x_tables)|^\[kernel\] (ip_|ip6_|__ip|ipv4|ipv6|"
                         r"fib_|nf_|_*udp|neigh|arp_|route|dst_|inet)"),
    ("scheduler and events", r"^\[kernel\] (.*sched|pick_|try_to_wake|ttwu|enqueue_|dequeue_|"
                             r"update_|select_|.*wake|__switch|switch_|finish_task|set_next|"
                             r"put_prev|resched|check_preempt|ep_|eventpoll|.*poll|place_ent|"
                             r"native_sched|cpuacct|reweight|avg_|vruntime|_raw_spin_unlock)"),
    ("timers", r"^\[kernel\] (_*hrtimer|timer|tick_|ktime|clock|read_tsc|__run_timers|lapic|rb_|"
               r"timerqueue|.*apic|native_write_msr)"),
    ("system calls", r"^\[kernel\] (.*syscall|entry_|do_sys|__x64_sys|ksys|_*vfs_|_*fget|fput|fd"
                     r"get|.*read$|security_|apparmor|aa_|tomoyo|exit_to_user|irqentry_exit)"),
    ("rest of the kernel", r""),
]

LINE = re.compile(r"^\s*(\d+)\s+(\S+)\s+\[([k.])\]\s+(\S+)")


def read_modules(path):
    """{symbol: "[module]"}: perf in a guest without module files names the kernel for all"""
    modules = {}
    with open(path) as file:
        for line in file:
            words = line.split()
            modules.setdefault(words[2], words[3] if len(words) > 3 else "[kernel]")
    return modules


def read_samples(path, modules):
    samples = collections.Counter()
    with open(path) as file:
        for line in file:
            match = LINE.match(line)
            if match:
                count, place, where, symbol = match.groups()
                if where == "k":
                    place = modules.get(symbol, "[kernel]")
                samples[f"{place} {symbol}"] += int(count)
    return samples


def layer_of(text):
    return next(name for name, pattern in LAYERS if re.search(pattern, text))


def main():
    measure, period, short, long, directory = sys.argv[1:]
    directory = pathlib.Path(directory)
    modules = read_modules(directory / "kallsyms")
    samples = read_samples(directory / f"report.{long}", modules)
    samples.subtract(read_samples(directory / f"report.{short}", modules))
    layers = collections.Counter()
    for text, count in samples.items():
        layers[layer_of(text)] += count
    del layers[None]
    scale = float(period) / (int(long) - int(short))
    if sum(layers.values()) <= 0:
        sys.exit("layers.py: no samples")
    for name, count in layers.most_common():
        if count > 0:
            print(f"{measure},{name},{count * scale:.0f}")


if __name__ == "__main__":
    main()
