// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A ring of frames between this process, which writes @head, and its child, which writes @tail.
 * Release of either index pairs with the acquire at the other side: a slot is read after it was
 * filled, and filled again after it was read.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "echo.h"

#define RING		64

struct echo {
	u64 head;
	u64 tail;
	u64 sent;
	pid_t child;
	bool stop;
	struct frame slots[RING];
};

/* Any but the parent's; where there is no other it fails, which is no harm */
static void leave_cpu(void)
{
	int cpu, here = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (cpu != here)
			CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void __noreturn repeat(struct echo *e, int fd)
{
	const struct frame *f;

	while (!__atomic_load_n(&e->stop, __ATOMIC_RELAXED)) {
		if (__atomic_load_n(&e->head, __ATOMIC_ACQUIRE) == e->tail) {
			clock_sleep_ms(1);
			continue;
		}
		f = &e->slots[e->tail % RING];
		if (send(fd, f->bytes, f->length, 0) >= 0)
			e->sent++;
		__atomic_store_n(&e->tail, e->tail + 1, __ATOMIC_RELEASE);
	}
	_exit(0);
}

struct echo *echo_start(int fd)
{
	struct echo *e = mmap(NULL, sizeof(*e), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (e == MAP_FAILED) {
		perror("echo");
		return NULL;
	}
	fflush(stdout);
	e->child = fork();
	if (!e->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		leave_cpu();
		repeat(e, fd);
	}
	if (e->child < 0) {
		perror("echo");
		munmap(e, sizeof(*e));
		return NULL;
	}
	return e;
}

u64 echo_stop(struct echo *e)
{
	u64 sent;

	__atomic_store_n(&e->stop, true, __ATOMIC_RELAXED);
	waitpid(e->child, NULL, 0);
	sent = e->sent;
	munmap(e, sizeof(*e));
	return sent;
}

void echo_push(struct echo *e, const struct frame *f)
{
	struct frame *slot = &e->slots[e->head % RING];

	if (e->head - __atomic_load_n(&e->tail, __ATOMIC_ACQUIRE) == RING)
		return;
	slot->length = f->length;
	memcpy(slot->bytes, f->bytes, f->length);
	__atomic_store_n(&e->head, e->head + 1, __ATOMIC_RELEASE);
}
