// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The key table of a device. Verbs inserts and removes keys; every access looks one up under RCU.
 * The table has its own bucket locks. The fields of a key are set before it is inserted and change
 * only while it is not valid and a grace period has passed (regions), or stand in an RCU protected
 * struct svt_mw_binding (windows), so that a look-up sees them as they belong together.
 */
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>

#include "keys.h"

/* With 13 of 16 indices in use, as many collisions in a row have a chance of 2^-76 */
#define INSERT_TRIES	256

static const struct rhashtable_params keys_params = {
	.key_len = sizeof_field(struct svt_key, index),
	.key_offset = offsetof(struct svt_key, index),
	.head_offset = offsetof(struct svt_key, node),
	.automatic_shrinking = true,
};

/**
 * svt_keys_init() - make an empty key table
 * @keys: the table
 *
 * Context: May sleep.
 * Return: 0 or -ENOMEM.
 */
int svt_keys_init(struct svt_keys *keys)
{
	atomic_set(&keys->count, 0);
	return rhashtable_init(&keys->table, &keys_params);
}

/**
 * svt_keys_destroy() - free a key table
 * @keys: empty: ib_core has seen to it that regions and windows go before their device
 *
 * Context: May sleep.
 */
void svt_keys_destroy(struct svt_keys *keys)
{
	WARN_ON(atomic_read(&keys->count));
	rhashtable_destroy(&keys->table);
}

/**
 * svt_key_insert() - give a key a random value and put it in the table
 * @keys: the table
 * @key: all but @index and @key is set
 *
 * Index and tag are random over their full width, so that a key can not be guessed from another;
 * the index is never 0, so that no key is.
 *
 * Context: May sleep.
 * Return: 0, or -ENOMEM when memory or keys run out.
 */
int svt_key_insert(struct svt_keys *keys, struct svt_key *key)
{
	int tries, ret;

	for (tries = 0; tries < INSERT_TRIES; tries++) {
		u32 value = get_random_u32();

		if (!(value >> SVT_KEY_TAG_BITS))
			continue;
		key->index = value >> SVT_KEY_TAG_BITS;
		WRITE_ONCE(key->key, value);
		ret = rhashtable_lookup_insert_fast(&keys->table, &key->node, keys_params);
		if (!ret) {
			atomic_inc(&keys->count);
			return 0;
		}
		if (ret != -EEXIST)
			break;
	}
	return -ENOMEM;
}

/**
 * svt_key_disable() - let no access pass a region's key, before its fields change
 * @key: of a region; svt_key_enable() lets accesses pass again
 *
 * Expedited, as in svt_key_remove().
 *
 * Context: May sleep: when it returns, no look-up uses what it found before.
 */
void svt_key_disable(struct svt_key *key)
{
	WRITE_ONCE(key->valid, false);
	synchronize_rcu_expedited();
}

/**
 * svt_key_enable() - let accesses pass a region's key again
 * @key: of a region, after svt_key_disable()
 *
 * Release: pairs with the acquire of @valid in region_key().
 *
 * Context: Any.
 */
void svt_key_enable(struct svt_key *key)
{
	/* Pairs as above */
	smp_store_release(&key->valid, true);
}

/**
 * svt_key_remove() - take a key out of the table
 * @keys: the table
 * @key: in it
 *
 * When it returns nobody uses the key or the memory behind it, nor looks at the window whose key it
 * was, and which svt_mw_retire() has unbound before. The grace period is expedited because a
 * process waits for it at each deregistration, and programs register and deregister by the
 * thousand: a normal one takes tens of milliseconds.
 *
 * Context: May sleep.
 */
void svt_key_remove(struct svt_keys *keys, struct svt_key *key)
{
	WRITE_ONCE(key->valid, false);
	if (!rhashtable_remove_fast(&keys->table, &key->node, keys_params))
		atomic_dec(&keys->count);
	synchronize_rcu_expedited();
}

/**
 * svt_key_find() - look up a key by its upper 24 bits
 * @keys: the table
 * @value: an lkey or rkey
 *
 * Context: RCU read section.
 * Return: The key, whose @key, @valid and @pd the caller checks, or NULL.
 */
struct svt_key *svt_key_find(struct svt_keys *keys, u32 value)
{
	u32 index = value >> SVT_KEY_TAG_BITS;

	return rhashtable_lookup(&keys->table, &index, keys_params);
}
