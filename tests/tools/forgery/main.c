// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_forgery qp DEVICE GID_INDEX rc|uc|xrc	a QP that does what it is told, see qp.c
 * svt_forgery udp FROM AS TO QPN PSN SHAPE	a SEND of "forged" in a UDP datagram, see udp.c
 *
 * Exits with the errno of what failed.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "forgery.h"

#define LIMIT_MS	100000

static const struct {
	const char *name;
	int words;
	const char *usage;
	int (*run)(char **words);
} forgeries[] = {
	{ "qp", 3, "DEVICE GID_INDEX rc|uc|xrc", forgery_qp },
	{ "udp", 6, "FROM AS TO QPN PSN plain|segments|fragments|routed", forgery_udp },
	{ "rxrpc", 3, "FROM TO QPN", forgery_rxrpc },
	{ "call", 3, "FROM TO QPN", forgery_call },
};

int main(int argc, char **argv)
{
	unsigned int i;

	setlinebuf(stdout);
	clock_alarm(LIMIT_MS);
	for (i = 0; i < ARRAY_SIZE(forgeries); i++)
		if (argc == forgeries[i].words + 2 && !strcmp(argv[1], forgeries[i].name))
			return -forgeries[i].run(argv + 2);
	for (i = 0; i < ARRAY_SIZE(forgeries); i++)
		fprintf(stderr, "usage: %s %s %s\n", argv[0], forgeries[i].name,
			forgeries[i].usage);
	return 255;
}
