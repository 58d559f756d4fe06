/*
 * module: is it there, is it ours, and what does it have?
 */
#include "backend/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool pario_module_find(const char *name, char *path, size_t capacity)
{
	static const char *const places[] = { "", PARIO_TRACE_FROM_BIN "/" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; n > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, capacity, "%.*s/%slibpario-%s.so", (int)(strrchr(self, '/') - self),
			 self, places[i], name);
		if (access(path, R_OK) == 0)
			return true;
	}
	snprintf(path, capacity, "libpario-%s.so", name);
	return false;
}

const void *pario_module_load(struct pario_module *module)
{
	char path[PATH_MAX + 256], symbol[64];
	const char *build;
	void *handle;

	if (module->found || *module->reason)
		return module->found;
	pario_module_find(module->name, path, sizeof(path));
	/*
	 * For all to see, as if the program needed it: wrappers that were preloaded look for the next of a name. The
	 * module itself is linked with -z now; what it needs is bound as it is called.
	 */
	handle = dlopen(path, RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
	if (!handle) {
		snprintf(module->reason, sizeof(module->reason),
			 "its module cannot be loaded (%.400s); install pario as a whole",
			 dlerror());
		return NULL;
	}
	snprintf(symbol, sizeof(symbol), "pario_module_build_%s", module->name);
	build = dlsym(handle, symbol);
	if (!build || strcmp(build, PARIO_MODULE_BUILD) != 0)
		snprintf(module->reason, sizeof(module->reason),
			 "%.300s belongs to pario %.40s, this is %s; install pario as a whole",
			 path, build ? build : "of an unknown version", PARIO_MODULE_BUILD);
	else if (!(module->found = dlsym(handle, module->symbol)))
		snprintf(module->reason, sizeof(module->reason), "%.300s has no %s", path,
			 module->symbol);
	return module->found;
}

const char *pario_module_unavailable(struct pario_module *module, struct pario_array_ops *ops)
{
	const struct pario_backend *backend = pario_module_load(module);

	if (!backend)
		return module->reason;
	*ops = *backend->array;
	return NULL;
}

void pario_module_version(const struct pario_module *module, const char *built, char *text,
			  size_t capacity)
{
	const struct pario_backend *backend = module->found;

	if (backend)
		backend->version(text, capacity);
	else
		snprintf(text, capacity, "%s", built);
}
