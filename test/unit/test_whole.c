/*
 * test_whole: transfers that go on until all bytes are moved, and what is said when they cannot.
 */
#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit.h"

static void all_of_it(void **state)
{
	FILE *file = tmpfile();
	char back[8] = { 0 };

	(void)state;
	assert_non_null(file);
	assert_int_equal(pario_whole_write(fileno(file), "abcdef", 6, 4096), 6);
	assert_int_equal(pario_whole_read(fileno(file), back, 6, 4096), 6);
	assert_string_equal(back, "abcdef");
	fclose(file);
}

static void the_end_is_no_error(void **state)
{
	FILE *file = tmpfile();
	char back[8] = { 0 };

	(void)state;
	assert_non_null(file);
	assert_int_equal(pario_whole_write(fileno(file), "abc", 3, 0), 3);
	errno = EBADF;
	assert_int_equal(pario_whole_read(fileno(file), back, 8, 1), 2);
	assert_int_equal(errno, 0);
	assert_string_equal(back, "bc");
	fclose(file);
}

/* Up to the limit the kernel moves less than it was asked for; the call after that says why. */
static void an_error_keeps_what_was_moved(void **state)
{
	struct rlimit before, four = { 4, 4 };
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	four.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &four), 0);
	assert_int_equal(pario_whole_write(fileno(file), "abcdef", 6, 0), 4);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(pario_whole_read(-1, (char[4]){ 0 }, 4, 0), 0);
	assert_int_equal(errno, EBADF);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(the_end_is_no_error),
		cmocka_unit_test(an_error_keeps_what_was_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
