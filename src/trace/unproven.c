/*
 * unproven: one question for each name whose file was used; most are no links.
 */
#include "trace/unproven.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void take(struct pario_unproven_name *from, struct pario_unproven_name *to)
{
	*to = *from;
	from->text = NULL;
}

/* The file was used: it is the one with this state. */
static void prove(struct pario_unproven_name *name, const struct pario_trace_record *state)
{
	struct stat st;
	char *target;

	if (lstat(name->text, &st) != 0 || !S_ISLNK(st.st_mode) || stat(name->text, &st) != 0 ||
	    st.st_dev != state->offset || st.st_ino != state->site)
		return;
	target = realpath(name->text, NULL);
	if (!target || strlen(target) > PARIO_TRACE_TEXT_MAX) {
		free(target);
		return;
	}
	free(name->text);
	name->text = target;
	name->note.size = strlen(target);
}

bool pario_unproven_holds(struct pario_unproven *u, const struct pario_trace_record *record,
			  const char *text, struct pario_unproven_name *passes)
{
	struct pario_unproven_name *name = &u->names[record->file % PARIO_UNPROVEN];

	passes->text = NULL;
	if (record->op == PARIO_TRACE_FILE && record->result) {
		take(name, passes);
		name->note = *record;
		name->text = strdup(text);
		return name->text != NULL;
	}
	if (record->op == PARIO_TRACE_STATE && name->text && name->note.file == record->file) {
		prove(name, record);
		take(name, passes);
	}
	return false;
}

struct pario_unproven_name pario_unproven_left(struct pario_unproven *u)
{
	struct pario_unproven_name left = { .text = NULL };

	for (int i = 0; i < PARIO_UNPROVEN && !left.text; i++)
		take(&u->names[i], &left);
	return left;
}
