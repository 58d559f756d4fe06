/*
 * striping: sets how the data of a run are spread over servers, by the file system's own tool or by MPI-IO hints.
 */
#include "session/striping.h"

#include <stdio.h>
#include <string.h>

#include "machine/machine.h"

static const struct {
	const char *option, *hint, *none;
} pairs[] = {
	{ "stripe_count", "striping_factor", "" },
	{ "stripe_size", "striping_unit", "0" },
};

static const char *given(const struct pario_plan *plan, size_t i)
{
	const struct pario_setting *s = pario_config_find(&plan->config, pairs[i].option);

	return s && s->text && strcmp(s->text, pairs[i].none) != 0 ? s->text : NULL;
}

/* Are there points whose files an MPI library makes? */
static bool by_mpi(const struct pario_plan *plan)
{
	const struct pario_setting *api = pario_config_find(&plan->config, "api");

	return (plan->test->needs & PARIO_NEED_MPI_FILES) ||
	       (api && api->text &&
		(strstr(api->text, "mpiio") || strstr(api->text, "hdf5") ||
		 strstr(api->text, "pnetcdf")));
}

int pario_striping_hints(struct pario_plan *plan, struct pario_err *err)
{
	const struct pario_setting *dir = pario_config_find(&plan->config, "dir");
	char value[32];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const char *text = given(plan, i);
		uint64_t number;

		if (!text || !by_mpi(plan) || pario_stripes_settable(dir->text) ||
		    strcmp(text, "all") == 0)
			continue;
		/* A library knows no suffixes. */
		if (pario_units_parse_size(pairs[i].option, text, &number, err) < 0)
			return -1;
		snprintf(value, sizeof(value), "%llu", (unsigned long long)number);
		if (pario_config_set(&plan->config, pairs[i].hint, value, PARIO_ORIGIN_COMMAND,
				     err) < 0)
			return -1;
	}
	return 0;
}

int pario_striping_check(const struct pario_plan *plan, struct pario_err *err)
{
	const char *count = plan->settings.stripe_count;
	uint64_t number;

	if (!given(plan, 0) && !given(plan, 1))
		return 0;
	if (*count && strcmp(count, "all") != 0 &&
	    (pario_units_parse_size("--stripe_count", count, &number, err) < 0 || number == 0))
		return pario_err_set(
			err, PARIO_USAGE,
			"--stripe_count %s is no number of servers. Use 1 or more, or all.", count);
	if (pario_stripes_settable(plan->settings.dir) ||
	    (by_mpi(plan) && strcmp(count, "all") != 0))
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"--stripe_count and --stripe_size: %s lies on no file system whose striping pario can set "
		"(Lustre, BeeGFS). Leave them away, or use --api mpiio, which hands them on as hints.",
		plan->settings.dir);
}

int pario_striping_apply(struct pario_session *session, const struct pario_plan *plan,
			 struct pario_err *err)
{
	const char *path = session->crew.workspace.path;
	struct pario_stripes stripes;
	char text[256];

	if ((!given(plan, 0) && !given(plan, 1)) || !pario_stripes_settable(path))
		return 0;
	if (pario_stripes_set(path, plan->settings.stripe_count, plan->settings.stripe_size, err) <
	    0)
		return -1;
	if (pario_stripes_read(path, &stripes))
		snprintf(text, sizeof(text), "striping of the data: %s (%s)", stripes.text,
			 stripes.tool);
	else
		snprintf(text, sizeof(text),
			 "striping of the data was set, and cannot be read back");
	session->sink.note(&session->sink, "info", text, "");
	return 0;
}
