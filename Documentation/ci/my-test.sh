#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# 1000 messages to the other host and back, with their contents checked. Any program for verbs is run so.

set -euo pipefail

# Both hosts are made alike, so the index of the other's GID is the same
on-peer ibv_rc_pingpong -c -g "$SVT_GID_INDEX" >server.log 2>&1 &
until on-peer ss -tlnH 'sport = 18515' | grep -q . || ! kill -0 $!; do
	sleep 0.2
done
ibv_rc_pingpong -c -g "$SVT_GID_INDEX" "$SVT_PEER" | tee client.log
wait $!
