// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where functions and modules are in the kernel's memory, from /proc/kallsyms.  A function reaches
 * to the next symbol; the functions of several modules lie between the first and the last of them,
 * perhaps with those of others.
 */
#include <stdio.h>
#include <string.h>

#include "symbols.h"

#define KALLSYMS	"/proc/kallsyms"

/* As long as the longest function that is the last of its module */
#define LAST_FUNCTION	4096

struct symbol {
	u64 address;
	char type;
	char name[256];
	char module[64];
};

static FILE *symbols_open(void)
{
	FILE *file = fopen(KALLSYMS, "re");

	if (!file)
		perror("cannot open " KALLSYMS);
	return file;
}

static bool symbols_next(FILE *file, struct symbol *symbol)
{
	char line[512];
	int found;

	if (!fgets(line, sizeof(line), file))
		return false;
	symbol->module[0] = 0;
	found = sscanf(line, "%llx %c %255s [%63[^]]]", &symbol->address, &symbol->type,
		       symbol->name, symbol->module);
	return found >= 3;
}

static bool is_code(const struct symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}

static u64 address_of(const char *name)
{
	struct symbol symbol;
	FILE *file = symbols_open();
	u64 address = 0;

	while (file && !address && symbols_next(file, &symbol))
		if (is_code(&symbol) && !strcmp(symbol.name, name))
			address = symbol.address;
	if (file)
		fclose(file);
	return address;
}

static u64 next_after(u64 address)
{
	u64 next = address + LAST_FUNCTION;
	FILE *file = symbols_open();
	struct symbol symbol;

	while (file && symbols_next(file, &symbol))
		if (symbol.address > address && symbol.address < next)
			next = symbol.address;
	if (file)
		fclose(file);
	return next;
}

int symbols_function(struct text *text, const char *name)
{
	text->start = address_of(name);
	if (!text->start) {
		fprintf(stderr, KALLSYMS " does not say where %s is\n", name);
		return -1;
	}
	text->end = next_after(text->start);
	return 0;
}

static bool is_of(const struct symbol *symbol, const char *const *modules, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(symbol->module, modules[i]))
			return is_code(symbol);
	return false;
}

int symbols_modules(struct text *text, const char *const *modules, size_t count)
{
	FILE *file = symbols_open();
	struct symbol symbol;

	text->start = UINT64_MAX;
	text->end = 0;
	while (file && symbols_next(file, &symbol)) {
		if (!is_of(&symbol, modules, count))
			continue;
		if (symbol.address < text->start)
			text->start = symbol.address;
		if (symbol.address + LAST_FUNCTION > text->end)
			text->end = symbol.address + LAST_FUNCTION;
	}
	if (file)
		fclose(file);
	if (text->end)
		return 0;
	fprintf(stderr, KALLSYMS " does not say where module %s is\n", modules[0]);
	return -1;
}
