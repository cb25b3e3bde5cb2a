/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_KUNIT_STATIC_STUB_H
#define SVT_COMPAT_KUNIT_STATIC_STUB_H

#ifdef SVT_HAVE_KUNIT_STATIC_STUB
#include_next <kunit/static_stub.h>
#else
#define KUNIT_STATIC_STUB_REDIRECT(...)	do { } while (0)
#endif

#endif
