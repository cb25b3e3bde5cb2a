// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registration with libibverbs, which calls in here when it is loaded, finds a device of svt, or
 * forgets one. It serialises these calls.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rdma/svt-abi.h>

#include "context.h"
#include "library.h"

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	(void)sysfs_dev;
	return calloc(1, sizeof(struct verbs_device));
}

static void uninit_device(struct verbs_device *device)
{
	free(device);
}

/*
 * Asked once the table below has been looked at. libibverbs compares the ABI as well, but then says
 * so twice, and not what to do.
 */
static bool match_device(struct verbs_sysfs_dev *device)
{
	static bool said;

	if (!device->match)
		return false;
	if (device->abi_ver == SVT_UVERBS_ABI_VERSION)
		return true;
	if (!said)
		fprintf(stderr,
			"svt: %s has ABI %u, this provider %u: install both from one release\n",
			device->ibdev_name, device->abi_ver, SVT_UVERBS_ABI_VERSION);
	said = true;
	return false;
}

static const struct verbs_match_ent match_table[] = {
	VERBS_DRIVER_ID(SVT_DRIVER_ID),
	{},
};

static const struct verbs_device_ops device_operations = {
	.name = "svt",
	.match_min_abi_version = SVT_UVERBS_ABI_VERSION,
	.match_max_abi_version = SVT_UVERBS_ABI_VERSION,
	.match_table = match_table,
	.match_device = match_device,
	.alloc_context = svt_alloc_context,
	.import_context = svt_import_context,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
};

#ifdef SVT_STANDALONE
static __attribute__((constructor)) void register_provider(void)
{
	if (svt_library_matches())
		verbs_register_driver(&device_operations);
	else
		fputs("svt: build the provider anew: it is for another libibverbs than this\n",
		      stderr);
}
#else
PROVIDER_DRIVER(svt, device_operations);
#endif
