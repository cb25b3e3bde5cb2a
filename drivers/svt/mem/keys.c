// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The key table of a device. Verbs inserts and removes keys; each access looks one up under RCU.
 * The table has its own bucket locks. A look-up must see fields that belong together: those of a
 * region change only while it is not valid and a grace period has passed, those of a window are in
 * an RCU protected struct svt_mw_binding.
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

int svt_keys_init(struct svt_keys *keys)
{
	atomic_set(&keys->count, 0);
	return rhashtable_init(&keys->table, &keys_params);
}

/* ib_core destroys regions and windows before their device: the table is empty */
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
 * Index and tag are random, so nobody can guess a key from another. No key is 0.
 * Return: 0, or -ENOMEM when memory or keys run out
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

/* On return no look-up uses what it found before, and the fields may change. May sleep. */
void svt_key_disable(struct svt_key *key)
{
	WRITE_ONCE(key->valid, false);
	synchronize_rcu_expedited();
}

void svt_key_enable(struct svt_key *key)
{
	/* Pairs with the acquire of @valid in region_key() */
	smp_store_release(&key->valid, true);
}

/**
 * svt_key_remove() - take a key out of the table
 * @keys: the table
 * @key: a window's was retired by svt_mw_retire()
 *
 * On return nobody uses the key, its memory or its window. The grace period is expedited, as a
 * process waits for it at each deregistration: a normal one takes tens of milliseconds.
 * Context: May sleep.
 */
void svt_key_remove(struct svt_keys *keys, struct svt_key *key)
{
	WRITE_ONCE(key->valid, false);
	if (!rhashtable_remove_fast(&keys->table, &key->node, keys_params))
		atomic_dec(&keys->count);
	synchronize_rcu_expedited();
}

/* In an RCU read section. The caller checks @key, @valid and @pd of the key. */
struct svt_key *svt_key_find(struct svt_keys *keys, u32 value)
{
	u32 index = value >> SVT_KEY_TAG_BITS;

	return rhashtable_lookup(&keys->table, &index, keys_params);
}
