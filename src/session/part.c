/*
 * part: the plans of a command that measures a fixed set of parts.
 */
#include "session/part.h"

#include <stdio.h>
#include <string.h>

void pario_part_name(struct pario_bound *bound, const char *part)
{
	struct pario_text name = { 0 };

	pario_text_add(&name, "part=%s%s%s", part, bound->name[0] ? " " : "", bound->name);
	snprintf(bound->name, sizeof(bound->name), "%s", pario_text_string(&name));
	pario_text_release(&name);
}

void pario_part_clients(uint64_t clients, bool sweep, char *text, size_t capacity)
{
	if (sweep)
		snprintf(text, capacity, "sweep");
	else
		snprintf(text, capacity, "%llu", (unsigned long long)clients);
}

int pario_part_settings(struct pario_plan *plan, const char *settings, pario_part_value *value_of,
			const void *context, struct pario_err *err)
{
	char text[512], value[64];

	snprintf(text, sizeof(text), "%s", settings);
	for (char *rest = text, *pair; (pair = pario_text_word(&rest, " "));) {
		char *equals = strchr(pair, '=');
		bool stands;

		*equals = '\0';
		stands = value_of && value_of(context, equals + 1, value, sizeof(value));
		if (pario_config_set(&plan->config, pair, stands ? value : equals + 1,
				     PARIO_ORIGIN_PLAN, err) < 0)
			return -1;
	}
	return 0;
}

int pario_part_hand_on(struct pario_plan *plan, const struct pario_config *command,
		       struct pario_err *err)
{
	for (size_t i = 0; i < command->setting_count; i++) {
		const struct pario_setting *s = &command->settings[i];
		const char *name = s->option->name;

		/* Messages go through no cache. */
		if (!(s->option->flags & PARIO_OPTION_HANDED_ON) || !s->text ||
		    (strcmp(name, "drop_caches") == 0 && (plan->test->needs & PARIO_NEED_NO_DIR)))
			continue;
		if (pario_config_set(&plan->config, name, s->text, s->origin, err) < 0)
			return -1;
	}
	return 0;
}

int pario_part_take_over(struct pario_plan *plan, const struct pario_config *command,
			 struct pario_err *err)
{
	const struct pario_setting *s = pario_config_find(command, "repetitions");

	if (pario_part_hand_on(plan, command, err) < 0)
		return -1;
	if (plan->test->repetitions || s->origin == PARIO_ORIGIN_DEFAULT || !s->text)
		return 0;
	return pario_config_set(&plan->config, "repetitions", s->text, s->origin, err);
}
