/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef HANDOVER_HANDOVER_H
#define HANDOVER_HANDOVER_H

#include <infiniband/verbs.h>

#include "types.h"

/* For a completion */
#define LIMIT_MS	60000

/*
 * What one process tells the other, with a file or none (-1).
 * Return: 0, or -1 as of complain().
 */
int tell(int socket, const void *data, size_t length, int fd);
int hear(int socket, void *data, size_t length, int *fd);

/*
 * Each is run by two processes that share nothing but a socket: the first has what it hands over,
 * the second uses it.  Return: 0, or -1 as of complain().
 */
int import_first(int socket, const char *device);
int import_second(int socket, const char *device);
int xrc_first(int socket, const char *device);
int xrc_second(int socket, const char *device);

#endif
