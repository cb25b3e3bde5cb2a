// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * All rows of a run as a table of reStructuredText.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "conform.h"

#define COLUMNS		5
#define ROWS_MAX	500
#define CELL_MAX	600

struct row {
	char *cells[COLUMNS];
};

static const u32 widths[COLUMNS] = { 6, 33, 24, 21, 20 };

static struct row rows[ROWS_MAX];
static u32 count;

/* What is too long ends with the last note that fits whole. */
static char *copy(const char *text)
{
	static const char more[] = "; ...";
	char *to = strdup(text), *end;

	if (!to)
		abort();
	if (strlen(to) <= CELL_MAX)
		return to;
	to[CELL_MAX - sizeof(more)] = '\0';
	end = strrchr(to, ';');
	if (end)
		memcpy(end, more, sizeof(more));
	return to;
}

static const char *verdict(void)
{
	if (suite_failures())
		return "not ok";
	return suite_skip_reason() ? "skip" : "ok";
}

static const char *seen(const struct test *t)
{
	if (suite_failures())
		return t->seen[0] ? t->seen : "nothing";
	if (suite_skip_reason())
		return suite_skip_reason();
	return strcmp(t->seen, t->expected) ? t->seen : "so";
}

void report_row(const struct test *t)
{
	struct row *row;
	char rule[COLUMN_MAX];

	if (t->w->deviations && !strcmp(verdict(), "ok"))
		return;
	if (count == ROWS_MAX)
		abort();
	row = &rows[count++];
	snprintf(rule, sizeof(rule), "%s: %s (%s)", t->rule->id, t->rule->says, t->rule->clause);
	row->cells[0] = copy(verdict());
	row->cells[1] = copy(rule);
	row->cells[2] = copy(t->input);
	row->cells[3] = copy(t->expected);
	row->cells[4] = copy(seen(t));
}

/* How much of @text goes into a line of @width: whole words if there are any */
static u32 fits(const char *text, u32 width)
{
	u32 length = strlen(text), end;

	if (length <= width)
		return length;
	for (end = width; end && text[end] != ' '; end--)
		;
	return end ?: width;
}

/* A line of each cell. Return: whether anything was left to write */
static bool write_line(FILE *to, struct row *row)
{
	const char *text[COLUMNS];
	u32 i, length[COLUMNS], left = 0;

	for (i = 0; i < COLUMNS; i++)
		left += strlen(row->cells[i]);
	if (!left)
		return false;
	for (i = 0; i < COLUMNS; i++) {
		text[i] = row->cells[i];
		length[i] = fits(text[i], widths[i]);
		fprintf(to, i < COLUMNS - 1 ? "| %-*.*s " : "| %-*.*s |\n", (int)widths[i],
			(int)length[i], text[i]);
		row->cells[i] += length[i] + (text[i][length[i]] == ' ');
	}
	return true;
}

static void write_rule(FILE *to, char mark)
{
	u32 i, k;

	for (i = 0; i < COLUMNS; i++) {
		fputc('+', to);
		for (k = 0; k < widths[i] + 2; k++)
			fputc(mark, to);
	}
	fputs("+\n", to);
}

int report_write(const struct world *w)
{
	struct row head = { { "result", "rule (clause)", "input", "expected", "seen" } };
	FILE *to = fopen(w->table, "w");
	u32 i;

	if (!to)
		return complain(w->table, errno);
	write_rule(to, '-');
	while (write_line(to, &head))
		;
	write_rule(to, '=');
	for (i = 0; i < count; i++) {
		while (write_line(to, &rows[i]))
			;
		write_rule(to, '-');
	}
	return fclose(to) ? complain(w->table, errno) : 0;
}
