// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who brings pages for a process. A page fault lasts as long as whoever has the page takes, which
 * for a file of FUSE is a process, and may be for ever. So each process that pages on demand has
 * workers of its own: it keeps nobody waiting but itself.
 */
#include <linux/workqueue.h>

#include "verbs.h"

/* Page faults that are carried out at a time; the rest waits its turn */
#define SVT_PAGERS	16

static struct svt_pager *svt_pager_alloc(void)
{
	struct svt_pager *pager = kzalloc(sizeof(*pager), SVT_GFP_CHARGED);

	if (!pager)
		return NULL;
	pager->queue = alloc_workqueue("svt_pager", WQ_UNBOUND, SVT_PAGERS);
	if (!pager->queue) {
		kfree(pager);
		return NULL;
	}
	spin_lock_init(&pager->lock);
	INIT_LIST_HEAD(&pager->advices);
	INIT_WORK(&pager->work, svt_advices_follow);
	return pager;
}

/**
 * svt_pager_of - a process's own, made when it is asked for first
 * @context: of the process
 *
 * Context: may sleep.
 * Return: it lasts as long as the context; NULL: no memory.
 */
struct svt_pager *svt_pager_of(struct ib_ucontext *context)
{
	struct svt_ucontext *ucontext = to_svt_ucontext(context);
	/* Acquire: pairs with the cmpxchg() of another thread */
	struct svt_pager *pager = smp_load_acquire(&ucontext->pager), *other;

	if (pager)
		return pager;
	pager = svt_pager_alloc();
	if (!pager)
		return NULL;
	other = cmpxchg(&ucontext->pager, NULL, pager);
	if (!other)
		return pager;
	svt_pager_free(pager);
	return other;
}

/**
 * svt_pager_free - the process has closed the device
 * @pager: no region has it any more; may be NULL
 *
 * A QP of another process may have faults there, by an SRQ of XRC; it is waited for.
 *
 * Context: may sleep.
 */
void svt_pager_free(struct svt_pager *pager)
{
	if (!pager)
		return;
	destroy_workqueue(pager->queue);
	kfree(pager);
}
