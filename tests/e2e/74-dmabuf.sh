#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Regions of memory that another driver made: dma-bufs of udmabuf. Debian's 6.1 has none that makes
# dma-bufs without a graphics card, so there they are only refused.

. "$(dirname "$0")/../lib/testlib.sh"

SKIPS=

# Nothing is left of it
dmabufs() {
	verify "$@"
	assert_idle svta
	assert_idle svtb
	until_true 10 grep '^Total 0 objects' /sys/kernel/debug/dma_buf/bufinfo
}

no_dmabufs() {
	SKIPS=udmabuf verify v4 -t 'dmabuf_*'
	[ "$(grep -c ' # SKIP ' "$WORK/client")" = 4 ]
}

setup_pair
case $(uname -r) in
6.1.*)
	run_on_each "a kernel without udmabuf is told apart" no_dmabufs
	skip_on_each "WRITE and READ between dma-bufs" "no udmabuf"
	skip_test "a region keeps its dma-buf" "no udmabuf"
	skip_test "no byte beyond a region of a dma-buf" "no udmabuf"
	skip_on_each "what is no dma-buf, or not so long, is refused" "no udmabuf"
	;;
*)
	run_on_each "WRITE and READ between dma-bufs" dmabufs v4 -t dmabuf_traffic
	run_test "a region keeps its dma-buf" dmabufs v6 -t dmabuf_outlives
	run_test "no byte beyond a region of a dma-buf" dmabufs v4 -t dmabuf_bounds
	run_on_each "what is no dma-buf, or not so long, is refused" dmabufs v4 -t dmabuf_refused
	;;
esac
run_on_each "teardown leaves nothing" leave_pair
finish
