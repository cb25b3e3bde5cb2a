#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Puts the kernel's own tests of RDMA, tools/testing/selftests/rdma, into build/selftests: those that
# belong to the newest kernel of a root. Usage: selftests.sh SUITE

set -euo pipefail
. "$(dirname "$0")/lib.sh"
# shellcheck source=cache.sh
. "$TOP/scripts/cache.sh"
# shellcheck source=kernel/source.sh
. "$TOP/scripts/kernel/source.sh"

PARTS=(rdma kselftest/ktap_helpers.sh)

find_newest_source "${1:?usage: selftests.sh SUITE}"
rm -rf "$BUILD/selftests" "$BUILD/selftests.unfinished"
unpack_kernel "$BUILD/selftests.unfinished" "${PARTS[@]/#/linux-source-*/tools/testing/selftests/}"
mv "$BUILD/selftests.unfinished/tools/testing/selftests" "$BUILD/selftests"
rm -r "$BUILD/selftests.unfinished"
