/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Is the library that loaded the provider the one that it was built for? In a tree of rdma-core
 * both are built together, and there is nothing to ask.
 */
#ifndef SVT_LIBRARY_H
#define SVT_LIBRARY_H

#include "rdma-core.h"

#ifdef SVT_STANDALONE
bool svt_library_matches(void);
bool svt_library_took(const struct verbs_context *context, const struct verbs_context_ops *ops);
#else
static inline bool svt_library_took(const struct verbs_context *context,
				    const struct verbs_context_ops *ops)
{
	(void)context;
	(void)ops;
	return true;
}
#endif

#endif
