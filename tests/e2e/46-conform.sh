#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Whether a device keeps the rules of the transport: svt-conform is its peer at the other end of the wire.
# With SVT_CONFORM=rxe the device is the kernel's rxe, and a row that deviates is a result, not a failure.

. "$(dirname "$0")/../lib/testlib.sh"

DEVICE=svtb

setup_pair
run_test "rules of the transport" suite in_a "$BUILD/tools/svt-conform" --device "$DEVICE" \
	--peer-interface veth0 --gid-index "$(gid_index $DEVICE v4)"
run_test "teardown leaves nothing" teardown_pair
finish
