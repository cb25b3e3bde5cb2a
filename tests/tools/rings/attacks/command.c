// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands by write(), and the same by the ioctl that wraps them: with every length, with fields
 * that are wrong, with pointers to where nothing can be read or written.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../command.h"

#define IN_MOST		2048
#define OUT_AT		(2 * PAGE)	/* of the scratch memory */

/* A command on its way */
struct call {
	const struct command *command;
	u8 core[IN_MOST];	/* the core's part of the request, and what follows */
	u32 in, driver_in;	/* bytes */
	u32 out, driver_out;
	u64 response;
	u32 number;
	bool exact;		/* is passed on as it stands here */
};

static void compose(struct world *w, struct random *r, u32 side, struct call *c)
{
	const struct field *f;

	memset(c->core, 0, sizeof(c->core));
	for (f = c->command->fields; f->bytes; f++)
		fill_field(w, r, side, f->fill, c->core + f->offset, f->bytes);
	c->in = c->command->in;
	c->out = c->command->out;
	c->driver_out = c->command->driver_out;
	c->driver_in = 0;
	c->number = c->command->number;
	if (c->command->tail) {
		c->driver_in = random_below(r, c->command->tail + 1) & ~7u;
		random_fill(r, c->core + c->in, c->driver_in);
	}
}

/* A field gets another value, or any byte another one */
static void spoil_contents(const struct world *w, struct random *r, u32 side, struct call *c)
{
	const struct field *fields = c->command->fields, *f;
	u32 count = 0;
	u64 value;

	while (count < COMMAND_FIELDS && fields[count].bytes)
		count++;
	f = &fields[random_below(r, count)];
	value = random_odd(r);
	if (count && f->bytes <= sizeof(value) && random_one_in(r, 2))
		memcpy(c->core + f->offset, &value, f->bytes);
	else
		random_flip(r, c->core, c->in);
	for (f = fields; f->bytes; f++)
		fill_bound(w, side, f->fill, c->core + f->offset, f->bytes);
}

static void spoil_lengths(struct random *r, struct call *c)
{
	switch (random_below(r, 6)) {
	case 0:
		c->in = random_below(r, c->in + 1) & ~3u;
		break;
	case 1:
		c->driver_in += 4 * (1 + random_below(r, 32));
		random_fill(r, c->core + c->in, c->driver_in);
		break;
	case 2:
		c->driver_in += 4 * (1 + random_below(r, 32));
		break;
	case 3:
		c->out = random_below(r, c->out + 1) & ~3u;
		break;
	case 4:
		c->driver_out = random_below(r, c->driver_out + 64) & ~3u;
		break;
	default:
		c->out = 0;
		c->driver_out = 0;
	}
}

static u32 header(struct call *c, u8 *at)
{
	struct ib_uverbs_cmd_hdr hdr = { .command = c->number };
	struct ib_uverbs_ex_cmd_hdr ex = {};

	if (!c->command->extended) {
		hdr.in_words = (sizeof(hdr) + c->in + c->driver_in) / 4;
		hdr.out_words = (c->out + c->driver_out) / 4;
		memcpy(at, &hdr, sizeof(hdr));
		return sizeof(hdr);
	}
	hdr.command |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
	hdr.in_words = c->in / 8;
	hdr.out_words = c->out / 8;
	ex.response = c->response;
	ex.provider_in_words = c->driver_in / 8;
	ex.provider_out_words = c->driver_out / 8;
	memcpy(at, &hdr, sizeof(hdr));
	memcpy(at + sizeof(hdr), &ex, sizeof(ex));
	return sizeof(hdr) + sizeof(ex);
}

static int give_by_write(const struct world *w, struct random *r, int fd, struct call *c)
{
	u32 head, bytes, count;
	u8 *at = w->sandbox.scratch;

	/* Where there is a response, its address is the first word of the core's part */
	if (!c->command->extended && c->out)
		memcpy(c->core, &c->response, sizeof(c->response));
	head = header(c, at);
	bytes = head + c->in + c->driver_in;
	memcpy(at + head, c->core, c->in + c->driver_in);
	if (!c->exact && random_one_in(r, 32))
		random_flip(r, at, head);
	count = !c->exact && random_one_in(r, 32) ? random_below(r, 2 * bytes) : bytes;
	if (!c->exact && random_one_in(r, 32)) {
		/* Ends where memory ends, some bytes too early */
		memmove(at + SCRATCH_LENGTH - bytes + 4, at, bytes - 4);
		at += SCRATCH_LENGTH - bytes + 4;
	}
	return write(fd, at, count) < 0 ? -errno : 0;
}

static int give_by_ioctl(const struct world *w, struct random *r, int fd, struct call *c)
{
	u8 *in = w->sandbox.scratch, *out = w->sandbox.scratch + OUT_AT;
	struct ioctl_command command;
	u32 number = c->number;

	if (c->command->extended)
		number |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
	memcpy(in, c->core, c->in + c->driver_in);
	ioctl_begin(&command, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	ioctl_add(&command, UVERBS_ATTR_WRITE_CMD, sizeof(u64), number);
	if (c->in)
		ioctl_add(&command, UVERBS_ATTR_CORE_IN, c->in,
			  c->in > 8 ? fill_pointer(w, r, in) : *(u64 *)in);
	if (c->out)
		ioctl_add(&command, UVERBS_ATTR_CORE_OUT, c->out, c->response);
	if (c->driver_in)
		ioctl_add(&command, UVERBS_ATTR_UHW_IN, c->driver_in,
			  c->driver_in > 8 ? fill_pointer(w, r, in + c->in) :
					     *(u64 *)(in + c->in));
	if (c->driver_out)
		ioctl_add(&command, UVERBS_ATTR_UHW_OUT, c->driver_out,
			  fill_pointer(w, r, out + c->out));
	return device_ioctl(fd, &command);
}

/* What was made is used by what follows, and destroyed by it */
static void take_notice(struct world *w, u32 side, const struct call *c)
{
	const u8 *out = w->sandbox.scratch + OUT_AT;
	u32 handle;

	w->tally->accepted++;
	if (c->response != (uintptr_t)out)
		return;
	memcpy(&handle, out + c->command->handle_at, sizeof(handle));
	if (c->command->makes)
		world_made(w, side, c->command->makes, handle);
	else if (c->number == IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL)
		close(handle);
}

static int give(struct world *w, struct random *r, u32 side, struct call *c)
{
	int fd = w->sides[side].dev.fd, ret;

	if (random_one_in(r, 2))
		ret = give_by_write(w, r, fd, c);
	else
		ret = give_by_ioctl(w, r, fd, c);
	if (!ret)
		take_notice(w, side, c);
	w->tally->commands++;
	return ret;
}

u32 attack_command(struct world *w, struct random *r)
{
	u32 i, side = random_below(r, 2), faults = random_below(r, 3);
	struct call c = { .command = &commands[random_below(r, command_count)] };

	compose(w, r, side, &c);
	for (i = 0; i < faults; i++) {
		if (random_one_in(r, 3))
			spoil_lengths(r, &c);
		else
			spoil_contents(w, r, side, &c);
	}
	c.response = (uintptr_t)w->sandbox.scratch + OUT_AT;
	if (faults)
		c.response = fill_pointer(w, r, w->sandbox.scratch + OUT_AT);
	if (random_one_in(r, 64))
		c.number = random_below(r, 256);
	give(w, r, side, &c);
	return 1;
}

/* A driver's response that has no room must not be a success: nobody would know of the object */
static void sweep_length(struct world *w, struct random *r, const struct command *command,
			 u32 *length, struct call *c)
{
	u32 given, most = *length + 16;

	for (given = 0; given <= most; given += 4) {
		compose(w, r, 0, c);
		c->response = (uintptr_t)w->sandbox.scratch + OUT_AT;
		*length = given;
		if (!give(w, r, 0, c) && command->makes && c->driver_out < command->driver_out)
			world_fail(w, "command %u succeeds with %u bytes for its response",
				   command->number, c->driver_out);
	}
}

void sweep_commands(struct world *w, struct random *r)
{
	u32 i;

	for (i = 0; i < command_count; i++) {
		struct call c = { .command = &commands[i], .exact = true };
		u32 *lengths[] = { &c.in, &c.driver_in, &c.out, &c.driver_out };
		u32 j;

		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			compose(w, r, 0, &c);
			sweep_length(w, r, &commands[i], lengths[j], &c);
		}
	}
}
