/*
 * backend: which backend carries a name, and what to say about an errno of theirs. It knows none of them: the table is
 * made by the build.
 */
#include "backend/backend.h"

#include <errno.h>

#include "base/err.h"
#include "base/text.h"

const struct pario_backend *pario_backend_find(const char *name)
{
	for (const struct pario_backend *const *b = pario_backends; *b; b++) {
		if (pario_text_same_name((*b)->name, name))
			return *b;
	}
	return NULL;
}

/* Nobody has misspelt these names, and nobody else has taken them. */
const char *pario_backend_hint(bool direct, int sys)
{
	switch (sys) {
	case ENOENT:
		return "Somebody removed it, or this node has not seen yet what another one made.";
	case EEXIST:
		return "It was made once already: the file system has told this node an old state, or made "
		       "a call twice.";
	case EPERM:
		return "The file system refuses it by a rule of its own: a security module, an attribute of the "
		       "directory, or its server.";
	case EINVAL:
		if (!direct)
			return "The file system does not take this call, or finds the file in a state it does "
			       "not expect; the kernel's log or its server may say why.";
		break;
	}
	return pario_err_hint(sys);
}
