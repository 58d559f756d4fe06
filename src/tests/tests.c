/*
 * tests: looking one up by its name; the list itself is made by the build from their descriptors.
 */
#include "tests/tests.h"

#include "base/text.h"

const struct pario_test *pario_test_by_name(const char *name)
{
	for (size_t i = 0; pario_tests[i]; i++) {
		if (pario_text_same_name(pario_tests[i]->name, name))
			return pario_tests[i];
	}
	return NULL;
}
