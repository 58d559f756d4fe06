/*
 * tests: the registry. The build makes the table from the descriptors it finds below src/tests.
 */
#ifndef PARIO_TESTS_TESTS_H
#define PARIO_TESTS_TESTS_H

#include "engine/test.h"

/* In the order of their names; ends with NULL. */
extern const struct pario_test *const pario_tests[];

/* NULL when there is none of this name. */
const struct pario_test *pario_test_by_name(const char *name);

#endif
