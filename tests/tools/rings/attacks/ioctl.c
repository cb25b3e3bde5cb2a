// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands by ioctl(): attributes that are missing, come twice, have other lengths, flags, values
 * or pointers, or are not known; headers that do not fit what follows.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../method.h"

#define OUT_AT		(2 * PAGE)	/* of the scratch memory */
#define SLOT		256		/* bytes for each attribute */
#define MOST_ATTRS	170		/* a header and so many are more than a page */

struct ioctl_call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[MOST_ATTRS];
};

static void compose_attr(struct world *w, struct random *r, u32 side, const struct attr *a, u32 i,
			 struct ib_uverbs_attr *attr)
{
	u8 *in = w->sandbox.scratch + i * SLOT;
	u64 value = 0;

	*attr = (struct ib_uverbs_attr){
		.attr_id = a->id,
		.len = a->bytes,
		.flags = UVERBS_ATTR_F_MANDATORY,
	};
	if (a->kind == ATTR_OUT) {
		attr->data = (uintptr_t)w->sandbox.scratch + OUT_AT + i * SLOT;
		return;
	}
	if (a->kind == ATTR_NEW || a->kind == ATTR_NEW_FD)
		return;
	/* Wider than 4 bytes only where it is an address or anything at all */
	fill_field(w, r, side, a->fill, &value, a->bytes > 4 ? sizeof(value) : sizeof(u32));
	if (a->bytes <= sizeof(value)) {
		attr->data = value;
		return;
	}
	memset(in, 0, SLOT);
	memcpy(in, &value, sizeof(value));
	attr->data = (uintptr_t)in;
}

static u32 compose(struct world *w, struct random *r, u32 side, const struct method *m,
		   struct ioctl_call *c)
{
	u32 i;

	memset(c, 0, sizeof(*c));
	for (i = 0; m->attrs[i].kind; i++)
		compose_attr(w, r, side, &m->attrs[i], i, &c->attrs[i]);
	return i;
}

static void spoil_attr(const struct world *w, struct random *r, u32 side, const struct attr *a,
		       struct ib_uverbs_attr *attr)
{
	u32 value;

	switch (random_below(r, 6)) {
	case 0:
		attr->len = random_one_in(r, 2) ? random_below(r, 300) : random_odd(r);
		break;
	case 1:
		attr->flags = random_odd(r);
		break;
	case 2:
		attr->attr_data.reserved = random_odd(r);
		break;
	case 3:
		attr->attr_id = random_one_in(r, 2) ? random_below(r, 20) :
						      UVERBS_ATTR_UHW_IN + random_below(r, 3);
		break;
	case 4:
		attr->data = fill_pointer(w, r, (void *)(uintptr_t)attr->data);
		break;
	default:
		/* Not where it is an address to write to: that is for fill_pointer() */
		if (a->kind == ATTR_IN || a->kind == ATTR_OBJECT)
			attr->data = random_odd(r);
	}
	if (a->bytes == sizeof(value)) {
		value = attr->data;
		fill_bound(w, side, a->fill, &value, sizeof(value));
		attr->data = value | (attr->data >> 32 << 32);
	}
}

/* Returns how many attributes there are then */
static u32 spoil(struct world *w, struct random *r, u32 side, const struct method *m,
		 struct ioctl_call *c, u32 count)
{
	u32 i = random_below(r, count);

	switch (random_below(r, 8)) {
	case 0:
		memmove(&c->attrs[i], &c->attrs[i + 1], (count - i) * sizeof(c->attrs[0]));
		return count - 1;
	case 1:
		c->attrs[count] = c->attrs[i];
		return count + 1;
	case 2:
		random_fill(r, &c->attrs[count], sizeof(c->attrs[0]));
		c->attrs[count].data = fill_pointer(w, r, w->sandbox.scratch + OUT_AT);
		return count + 1;
	default:
		spoil_attr(w, r, side, &m->attrs[i], &c->attrs[i]);
		return count;
	}
}

static void spoil_header(struct random *r, struct ioctl_call *c)
{
	switch (random_below(r, 6)) {
	case 0:
		c->hdr.object_id = random_one_in(r, 2) ? random_below(r, 20) : random_odd(r);
		break;
	case 1:
		c->hdr.method_id = random_one_in(r, 2) ? random_below(r, 10) : random_odd(r);
		break;
	case 2:
		c->hdr.length = random_odd(r);
		break;
	case 3:
		c->hdr.num_attrs = random_below(r, MOST_ATTRS);
		break;
	case 4:
		c->hdr.num_attrs = random_below(r, MOST_ATTRS);
		c->hdr.length = sizeof(c->hdr) + c->hdr.num_attrs * sizeof(c->attrs[0]);
		break;
	default:
		random_flip(r, &c->hdr, sizeof(c->hdr));
	}
}

static void take_notice(struct world *w, u32 side, const struct method *m,
			const struct ioctl_call *c)
{
	w->tally->accepted++;
	if (m->makes && c->attrs[0].attr_id == m->attrs[0].id)
		world_made(w, side, m->makes, c->attrs[0].data);
	if (m->attrs[0].kind == ATTR_NEW_FD && c->attrs[0].attr_id == m->attrs[0].id)
		close(c->attrs[0].data);
}

static bool give(const struct world *w, struct random *r, int fd, struct ioctl_call *c)
{
	unsigned long number = random_one_in(r, 64) ? random_odd(r) : RDMA_VERBS_IOCTL;
	u32 bytes = sizeof(*c);
	u8 *at;

	if (!random_one_in(r, 32))
		return !ioctl(fd, number, &c->hdr);
	/* Ends where memory ends, perhaps too early */
	bytes = min_u32(c->hdr.length, bytes) - random_below(r, 16);
	at = w->sandbox.scratch + SCRATCH_LENGTH - min_u32(bytes, PAGE);
	memcpy(at, c, min_u32(bytes, PAGE));
	return !ioctl(fd, number, at);
}

static void set_header(const struct method *m, struct ioctl_call *c, u32 count)
{
	c->hdr.object_id = m->object;
	c->hdr.method_id = m->method;
	c->hdr.driver_id = SVT_DRIVER_ID;
	c->hdr.num_attrs = count;
	c->hdr.length = sizeof(c->hdr) + count * sizeof(c->attrs[0]);
}

u32 attack_ioctl(struct world *w, struct random *r)
{
	u32 i, side = random_below(r, 2), faults = random_below(r, 3), count;
	const struct method *m = &methods[random_below(r, method_count)];
	struct ioctl_call c;

	count = compose(w, r, side, m, &c);
	for (i = 0; i < faults && count; i++)
		count = spoil(w, r, side, m, &c, count);
	set_header(m, &c, count);
	if (faults && random_one_in(r, 8))
		spoil_header(r, &c);
	if (give(w, r, w->sides[side].dev.fd, &c))
		take_notice(w, side, m, &c);
	w->tally->ioctls++;
	return 1;
}

static void sweep_attr(struct world *w, struct random *r, const struct method *m, u32 i)
{
	struct ioctl_call c;
	u32 length, count;

	for (length = 0; length <= m->attrs[i].bytes + 16u; length++) {
		count = compose(w, r, 0, m, &c);
		c.attrs[i].len = length;
		set_header(m, &c, count);
		if (give(w, r, w->sides[0].dev.fd, &c))
			take_notice(w, 0, m, &c);
		w->tally->ioctls++;
	}
}

void sweep_methods(struct world *w, struct random *r)
{
	u32 i, j;

	for (i = 0; i < method_count; i++)
		for (j = 0; methods[i].attrs[j].kind; j++)
			sweep_attr(w, r, &methods[i], j);
}
