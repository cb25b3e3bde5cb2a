// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * load PROVIDER: can the provider be loaded, with every symbol that it needs, and does it register
 * with the libibverbs that is installed without a word on stderr?
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *words = tmpfile();
	int c;

	if (argc != 2 || !words) {
		fprintf(stderr, "usage: load PROVIDER\n");
		return 2;
	}
	dup2(fileno(words), STDERR_FILENO);
	if (!dlopen(argv[1], RTLD_NOW)) {
		printf("not ok load: %s\n", dlerror());
		return 1;
	}
	rewind(words);
	c = getc(words);
	if (c == EOF) {
		printf("ok load\n");
		return 0;
	}
	printf("not ok load: ");
	for (; c != EOF; c = getc(words))
		putchar(c);
	return 1;
}
