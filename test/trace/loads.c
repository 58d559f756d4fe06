/*
 * loads LIBRARY MODE ARGUMENTS...: does not know MPI, and calls torture() of a library that does. MODE: local, global,
 * deep (its own MPI comes before whatever is preloaded).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "";
	int how = strcmp(mode, "global") == 0 ? RTLD_GLOBAL
		  : strcmp(mode, "deep") == 0 ? RTLD_LOCAL | RTLD_DEEPBIND
					      : RTLD_LOCAL;
	FILE *before = fopen("/dev/null", "r"); /* the tracer is at work before MPI comes */
	void *library = argc > 3 ? dlopen(argv[1], RTLD_NOW | how) : NULL;
	int (*torture)(int, char **) =
		library ? (int (*)(int, char **))dlsym(library, "torture") : NULL;

	if (before)
		fclose(before);
	if (!torture) {
		fprintf(stderr, "loads: %s\n", dlerror());
		return 1;
	}
	return torture(argc - 2, argv + 2);
}
