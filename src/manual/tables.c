/*
 * tables: commands, tests, backends and their options as JSON, for the man pages (tools/man.py) and other programs.
 */
#include <jansson.h>
#include <stdlib.h>

#include "compat/peer.h"
#include "manual/manual.h"
#include "tests/tests.h"

/* A known MPI-IO hint has no text of its own. */
static json_t *row_of(const struct pario_option *row)
{
	struct pario_text text = { 0 };
	bool hint = pario_option_is_known_hint(row);
	json_t *json;

	if (!hint)
		pario_option_describe(row, &text);
	json = json_pack("{s:s, s:s, s:s, s:s, s:b}", "name", row->name, "letter",
			 (char[2]){ row->letter }, "value", pario_option_placeholder(row), "text",
			 pario_text_string(&text), "hint", hint);
	pario_text_release(&text);
	return json;
}

static void add_table(json_t *tables, const struct pario_table *table)
{
	json_t *rows = json_array();

	for (const struct pario_option *row = table->rows; row->name; row++) {
		if (pario_docs_shown(row) || pario_option_is_known_hint(row))
			json_array_append_new(rows, row_of(row));
	}
	json_array_append_new(tables, json_pack("{s:s, s:o}", "title", table->title, "rows", rows));
}

/* The options of another program. */
static json_t *peer_of(const struct pario_peer *peer)
{
	json_t *options = peer ? json_array() : NULL;

	for (const struct pario_peer_option *o = peer ? peer->options : NULL; o && o->name; o++) {
		struct pario_text text = { 0 };

		pario_peer_describe(peer, o, &text);
		json_array_append_new(options, json_pack("{s:s, s:s, s:s}", "name", o->name,
							 "letter", (char[2]){ o->letter }, "text",
							 pario_text_string(&text)));
		pario_text_release(&text);
	}
	return options;
}

static json_t *command_of(const struct pario_command *command)
{
	struct pario_table tables[PARIO_DOCS_TABLES];
	size_t count = pario_docs_tables(command, tables);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		add_table(array, &tables[i]);
	return json_pack("{s:s, s:s, s:s, s:o, s:o*}", "name", command->name, "arguments",
			 command->arguments, "summary", command->summary, "tables", array, "peer",
			 peer_of(pario_cmd_peer(command)));
}

static json_t *test_of(const struct pario_test *test, struct pario_err *err)
{
	json_t *tables = json_array(), *metrics = json_array();
	struct pario_plan plan;

	if (pario_plan_init(&plan, test, err) < 0)
		return NULL;
	for (size_t i = 0; i < plan.table_count; i++) {
		if (pario_docs_any(&plan.tables[i]))
			add_table(tables, &plan.tables[i]);
	}
	pario_plan_release(&plan);
	for (const struct pario_metric_info *m = test->metrics; m && m->name; m++) {
		json_array_append_new(metrics,
				      json_pack("{s:s, s:s, s:s, s:i}", "name", m->name, "unit",
						m->unit ? m->unit : "", "help",
						m->help ? m->help : "", "better", m->better));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", test->name, "summary",
			 test->summary, "question", test->question, "misleads", test->misleads,
			 "tables", tables, "metrics", metrics);
}

int pario_docs_json(struct pario_text *out, struct pario_err *err)
{
	json_t *commands = json_array(), *tests = json_array(), *backends = json_array(), *all;
	char *text;

	for (const struct pario_command *c = pario_commands; c->name; c++)
		json_array_append_new(commands, command_of(c));
	for (size_t i = 0; pario_tests[i]; i++) {
		json_t *test = test_of(pario_tests[i], err);

		if (!test)
			return -1;
		json_array_append_new(tests, test);
	}
	for (size_t i = 0; pario_backends[i]; i++) {
		json_array_append_new(backends,
				      json_pack("{s:s, s:s}", "name", pario_backends[i]->name,
						"summary", pario_backends[i]->summary));
	}
	all = json_pack("{s:o, s:o, s:o}", "commands", commands, "tests", tests, "backends",
			backends);
	text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
	pario_text_add(out, "%s\n", text ? text : "");
	json_decref(all);
	if (!text)
		return pario_err_memory(err, NULL);
	free(text);
	return 0;
}
