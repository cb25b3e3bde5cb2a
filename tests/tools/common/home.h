/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the linker makes of calls of libibverbs (__wrap), and its own functions (__real).
 */
#ifndef TOOLS_HOME_H
#define TOOLS_HOME_H

#include <infiniband/verbs.h>

struct ibv_qp *__real_ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int __real_ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
struct ibv_ah *__real_ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
struct ibv_qp *__wrap_ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int __wrap_ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
struct ibv_ah *__wrap_ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);

#endif
