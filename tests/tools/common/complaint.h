/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_COMPLAINT_H
#define TOOLS_COMPLAINT_H

/* "TOOL: WHAT: what @err means" on stderr.  Return: -1. */
int complain(const char *what, int err);

#endif
