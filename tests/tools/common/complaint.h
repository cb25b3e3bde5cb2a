/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_COMPLAINT_H
#define TOOLS_COMPLAINT_H

/*
 * "WHAT: what @err means": the case that runs fails by it; where none runs, it is a line on stderr,
 * behind the program's name.  Return: -1.
 */
int complain(const char *what, int err);

#endif
