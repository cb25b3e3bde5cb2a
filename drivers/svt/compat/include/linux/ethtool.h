/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_LINUX_ETHTOOL_H
#define SVT_COMPAT_LINUX_ETHTOOL_H

#include_next <linux/ethtool.h>

#ifndef SVT_HAVE_NETIF_GET_LINK_KSETTINGS
#define netif_get_link_ksettings	__ethtool_get_link_ksettings
#endif

#endif
