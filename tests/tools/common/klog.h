/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_KLOG_H
#define TOOLS_KLOG_H

/*
 * A line in the kernel's log, in the form that the harness takes for its own: of a machine that
 * died it is all that is left. Without the right to write there is none.
 */
void klog_mark(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
