/*
 * backend: which backend carries a name?
 */
#include "backend/backend.h"

#include "base/text.h"

const struct pario_backend *pario_backend_find(const char *name)
{
	for (const struct pario_backend *const *b = pario_backends; *b; b++) {
		if (pario_text_same_name((*b)->name, name))
			return *b;
	}
	return NULL;
}
