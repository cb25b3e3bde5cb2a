/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The types of QP: see types.c.
 */
#ifndef SVT_TRANSPORT_TYPES_H
#define SVT_TRANSPORT_TYPES_H

#include "qp/qp.h"

const struct svt_qp_type *svt_qp_type(enum ib_qp_type type);

#endif
