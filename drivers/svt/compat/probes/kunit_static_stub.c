// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.3: functions that a test may replace */
#ifndef OLD
#include <kunit/static_stub.h>
#endif
