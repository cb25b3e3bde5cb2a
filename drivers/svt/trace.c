// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The bodies of the trace events of trace.h.
 */
#ifndef __CHECKER__
#define CREATE_TRACE_POINTS
#endif
#include "trace.h"
