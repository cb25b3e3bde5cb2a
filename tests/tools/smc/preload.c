// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_smc.so: with LD_PRELOAD, what a program takes for a socket of TCP is one of SMC, which takes
 * the same addresses and the same calls.
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SMC_OVER_IPV4	0
#define SMC_OVER_IPV6	1

int socket(int domain, int type, int protocol)
{
	int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);

	if ((domain == AF_INET || domain == AF_INET6) && kind == SOCK_STREAM &&
	    (protocol == 0 || protocol == IPPROTO_TCP)) {
		protocol = domain == AF_INET ? SMC_OVER_IPV4 : SMC_OVER_IPV6;
		domain = AF_SMC;
	}
	return syscall(SYS_socket, domain, type, protocol);
}
