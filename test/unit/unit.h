/*
 * unit: what every unit test includes, in the order that cmocka asks for.
 */
#ifndef PARIO_TEST_UNIT_H
#define PARIO_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
