/*
 * sample: generated trees: made, evicted from the cache, and compared with what should be there.
 */
#include "tests/interactive/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/common/small_file.h"

int pario_sample_init(struct pario_sample *sample, struct pario_run *run, const char *name,
		      uint64_t files, uint64_t directories, uint64_t bytes, struct pario_err *err)
{
	char tree[2 * PARIO_NAME_CAPACITY];
	size_t used;

	*sample = (struct pario_sample){
		.files = files, .directories = directories, .bytes = bytes, .base = -1
	};
	sample->buffer = malloc(bytes ? bytes : 1);
	if (!sample->buffer)
		return pario_err_memory(err, "a file");
	pario_run_own_name(run, name, sample->tree);
	snprintf(tree, sizeof(tree), "%s/", sample->tree);
	if (pario_run_name(run, tree, sample->path, sizeof(sample->path), err) < 0)
		return -1;
	used = strlen(sample->path);
	snprintf(sample->path + used, sizeof(sample->path) - used, "%llu",
		 (unsigned long long)run->client);
	used = strlen(tree);
	snprintf(tree + used, sizeof(tree) - used, "%llu", (unsigned long long)run->client);
	pario_run_reach(run, tree, sample->reach, sizeof(sample->reach));
	return 0;
}

void pario_sample_release(struct pario_sample *sample)
{
	if (sample->buffer && sample->base >= 0)
		close(sample->base);
	free(sample->buffer);
	sample->buffer = NULL;
}

int pario_sample_enter(struct pario_sample *sample, struct pario_run *run, struct pario_err *err)
{
	int above;

	if (pario_run_directory(run, sample->tree, &above, err) < 0)
		return -1;
	close(above);
	if (mkdir(sample->reach, 0700) < 0)
		return pario_run_file_error(AT_FDCWD, sample->path, "making the directory", err);
	sample->base = open(sample->reach, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sample->base < 0)
		return pario_run_file_error(AT_FDCWD, sample->path, "opening the directory", err);
	return 0;
}

static int each_file(struct pario_run *run, const struct pario_sample *s, const char *tree,
		     int (*act)(struct pario_run *, const struct pario_object *,
				struct pario_err *),
		     struct pario_err *err)
{
	char name[128];

	for (uint64_t i = 0; i < s->files; i++) {
		struct pario_object object = { .dirfd = s->base,
					       .name = name,
					       .number = i,
					       .client = run->client,
					       .bytes = s->bytes,
					       .buffer = s->buffer };

		snprintf(name, sizeof(name), "%s/d%llu/f%llu", tree,
			 (unsigned long long)(i % s->directories), (unsigned long long)i);
		if (act(run, &object, err) < 0)
			return -1;
	}
	return 0;
}

static int make(struct pario_run *run, const struct pario_object *object, struct pario_err *err)
{
	pario_object_fill(run, object);
	return pario_object_make(object, false, err);
}

static int evict(struct pario_run *run, const struct pario_object *object, struct pario_err *err)
{
	return pario_run_evict(run, object->dirfd, object->name, err);
}

int pario_sample_directory(struct pario_sample *sample, const char *name, struct pario_err *err)
{
	if (mkdirat(sample->base, name, 0700) == 0)
		return 0;
	return pario_run_file_error(sample->base, name, "making the directory", err);
}

int pario_sample_make(struct pario_sample *sample, struct pario_run *run, const char *tree,
		      struct pario_err *err)
{
	char name[128];

	if (pario_sample_directory(sample, tree, err) < 0)
		return -1;
	for (uint64_t i = 0; i < sample->directories; i++) {
		snprintf(name, sizeof(name), "%s/d%llu", tree, (unsigned long long)i);
		if (pario_sample_directory(sample, name, err) < 0)
			return -1;
	}
	return each_file(run, sample, tree, make, err);
}

int pario_sample_evict(struct pario_sample *sample, struct pario_run *run, const char *tree,
		       struct pario_err *err)
{
	return each_file(run, sample, tree, evict, err);
}

int pario_sample_verify(struct pario_sample *sample, struct pario_run *run, const char *tree,
			struct pario_err *err)
{
	return each_file(run, sample, tree, pario_object_verify, err);
}
