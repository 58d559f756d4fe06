/*
 * test_roll: who is named when a step has not ended in time, of a few clients and of 100,000?
 */
#include "comm/roll.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { MANY = 100000, PER_NODE = 100 };

static struct pario_roll_client clients[MANY];
static struct pario_roll_node nodes[MANY / PER_NODE];
static char text[400];

/* All have answered and have come equally far, `per_node` of them on each node. */
static void plant(unsigned count, unsigned per_node)
{
	memset(clients, 0, sizeof(clients));
	for (unsigned i = 0; i < count; i++) {
		clients[i] = (struct pario_roll_client){ .node = i / per_node,
							 .place = 7,
							 .answered = true };
		nodes[i / per_node].heard = true;
		snprintf(nodes[i / per_node].host, PARIO_ROLL_HOST, "n%u", i / per_node + 1);
	}
}

static const char *told(unsigned count)
{
	pario_roll_tell(clients, count, nodes, text, sizeof(text));
	return text;
}

static bool says(unsigned count, const char *words)
{
	if (strstr(told(count), words))
		return true;
	print_error("said: %s\n", text);
	return false;
}

static void nobody_is_blamed(void **state)
{
	(void)state;
	plant(4, 2);
	assert_true(says(4, "all 4 clients answer and have come equally far"));
	/* who sits the point out has not come as far, and nobody waits for it */
	clients[3] = (struct pario_roll_client){ .node = 1, .answered = true, .out = true };
	assert_true(says(4, "all 4 clients answer"));
	plant(1, 1);
	assert_string_equal(told(1), "");
}

static void who_is_silent_is_named(void **state)
{
	(void)state;
	plant(4, 2);
	clients[2].answered = false;
	assert_true(says(4, "client 2 on n2 does not answer: it is stopped or dead"));
	clients[3].answered = false;
	assert_true(says(4, "client 2 on n2 and client 3 on n2 do not answer"));
}

static void who_is_behind_is_named(void **state)
{
	(void)state;
	plant(4, 2);
	clients[1].place = 6;
	assert_true(says(4, "client 1 on n1 is not done, and the others wait"));
	clients[0].place = clients[2].place = 6;
	assert_true(says(4, "client 3 on n2 waits for the others"));
}

static void silence_of_a_node_that_was_never_heard_proves_nothing(void **state)
{
	(void)state;
	plant(4, 2);
	nodes[1].heard = clients[2].answered = clients[3].answered = false;
	assert_true(says(4, "client 2 on n2 and client 3 on n2 could not be asked"));
	assert_null(strstr(text, "does not answer"));
	plant(4, 2);
	clients[1].answered = false;
	clients[1].deaf = true;
	assert_true(says(4, "client 1 on n1 could not be asked"));
}

static void of_many_a_few_are_named(void **state)
{
	(void)state;
	plant(MANY, PER_NODE);
	for (unsigned i = MANY - PER_NODE; i < MANY; i++)
		clients[i].answered = false;
	assert_true(says(MANY, "client 99900 on n1000, client 99901 on n1000, client 99902 on "
			       "n1000, client 99903 on n1000 and 96 more do not answer"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_blamed),
		cmocka_unit_test(who_is_silent_is_named),
		cmocka_unit_test(who_is_behind_is_named),
		cmocka_unit_test(silence_of_a_node_that_was_never_heard_proves_nothing),
		cmocka_unit_test(of_many_a_few_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
