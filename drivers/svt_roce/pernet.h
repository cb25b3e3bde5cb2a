/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_PERNET_H
#define ROCE_PERNET_H

int roce_namespace_init(void);
void roce_namespace_exit(void);

#endif
