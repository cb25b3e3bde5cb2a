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

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	clock_alarm(LIMIT_MS);
	if (argc == 5 && !strcmp(argv[1], "qp"))
		return -forgery_qp(argv + 2);
	if (argc == 8 && !strcmp(argv[1], "udp"))
		return -forgery_udp(argv + 2);
	fprintf(stderr, "Usage: %s qp DEVICE GID_INDEX rc|uc|xrc\n", argv[0]);
	fprintf(stderr,
		"       %s udp FROM AS TO QPN PSN plain|segments|fragments|routed\n", argv[0]);
	return 255;
}
