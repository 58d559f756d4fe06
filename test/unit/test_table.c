/* Do the measurements behind a result come back from the journal as they went in? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "journal/result.h"
#include "journal/table.h"

static const char columns[] = "pattern length rate";

static json_t *through_json(const struct pario_result_tables *tables)
{
	struct pario_result result;
	struct pario_json json = { 0 };
	json_t *line;

	pario_result_init(&result);
	result.tables = tables;
	pario_json_open(&json, NULL, '{');
	pario_result_write(&json, &result);
	pario_json_close(&json, '}');
	line = json_loads(pario_text_string(&json.text), JSON_REJECT_DUPLICATES, NULL);
	pario_json_release(&json);
	assert_non_null(line);
	return line;
}

static void cells_come_back(void **state)
{
	struct pario_result_tables tables = { 0 };
	struct pario_result_table_view view;
	struct pario_err err = { 0 };
	json_t *line;

	(void)state;
	pario_result_tables_row(&tables, "a", columns,
				(const struct pario_datum[]){ PARIO_TEXT("ring \"1\"<"),
							      PARIO_NUMBER(1),
							      PARIO_NUMBER(1.0 / 3) });
	pario_result_tables_row(&tables, "b", "x", &PARIO_NUMBER(NAN));
	pario_result_tables_row(&tables, "a", columns,
				(const struct pario_datum[]){ PARIO_TEXT(""),
							      PARIO_NUMBER(9007199254740991),
							      PARIO_NUMBER(5e-324) });
	line = through_json(&tables);
	assert_int_equal(pario_result_table_find(line, "a", &view, &err), 0);
	assert_int_equal(view.row_count, 2);
	assert_int_equal(pario_result_table_column(&view, "rate", &err), 2);
	assert_string_equal(pario_result_table_text(&view, 0, 0), "ring \"1\"<");
	assert_true(pario_result_table_number(&view, 0, 2) == 1.0 / 3);
	assert_true(pario_result_table_number(&view, 1, 1) == 9007199254740991);
	assert_true(pario_result_table_number(&view, 1, 2) == 5e-324);
	assert_int_equal(pario_result_table_find(line, "b", &view, &err), 0);
	assert_true(isnan(pario_result_table_number(&view, 0, 0)));
	json_decref(line);
	pario_result_tables_release(&tables);
}

static void what_is_missing_is_said(void **state)
{
	struct pario_result_tables tables = { 0 };
	struct pario_result_table_view view;
	struct pario_err err = { 0 };
	json_t *line;

	(void)state;
	pario_result_tables_row(
		&tables, "a", columns,
		(const struct pario_datum[]){ PARIO_TEXT("p"), PARIO_NUMBER(1), PARIO_NUMBER(2) });
	line = through_json(&tables);
	assert_int_equal(pario_result_table_find(line, "z", &view, &err), -1);
	assert_non_null(strstr(err.text, "\"z\""));
	assert_int_equal(pario_result_table_find(line, "a", &view, &err), 0);
	assert_int_equal(pario_result_table_column(&view, "speed", &err), -1);
	assert_non_null(strstr(err.text, "\"speed\""));
	assert_true(isnan(pario_result_table_number(&view, 0, 0)));
	assert_true(isnan(pario_result_table_number(&view, 5, 1)));
	assert_string_equal(pario_result_table_text(&view, 0, 1), "");
	json_decref(line);
	pario_result_tables_release(&tables);
}

static void a_result_without_tables_has_no_such_member(void **state)
{
	struct pario_result_tables tables = { 0 };
	json_t *line = through_json(&tables);

	(void)state;
	assert_null(json_object_get(line, "sheets"));
	json_decref(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_come_back),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(a_result_without_tables_has_no_such_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
