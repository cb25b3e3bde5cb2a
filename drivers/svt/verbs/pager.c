// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Workers that bring pages for a process. A page fault lasts as long as the owner of the page
 * takes; for a file of FUSE that is a process, and may take for ever. So each process that pages
 * on demand has its own workers, and keeps no other process waiting.
 */
#include <linux/workqueue.h>

#include "verbs.h"

/* Page faults at a time; the rest waits */
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

/* Made on the first call; lasts as long as @context. NULL: no memory. */
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

/* May be NULL. Waits for faults of QPs of other processes (by an XRC SRQ). */
void svt_pager_free(struct svt_pager *pager)
{
	if (!pager)
		return;
	destroy_workqueue(pager->queue);
	kfree(pager);
}
