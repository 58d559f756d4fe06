/*
 * environment: what the launcher decided, and where this process stands.
 *
 * The environment variable PARIO_TRACE tells the first: "clock:stack,key,owner:others:directory". Without it nothing
 * is recorded and every wrapper passes on. `others` is the directory of those that cannot write to the last, or "".
 * Key and owner prove that this is the directory that was made (directory.c); they need not be there.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/preload/core.h"
#include "tracer/preload/raw.h"

enum { DIRECTORY_MAX = PARIO_TRACE_DIRECTORY_MAX };

struct pario_trace_variables pario_trace_variables;

/* Our own part of LD_PRELOAD. The shims that stand behind it are chosen anew for every program. */
static void keep_variables(const char *trace)
{
	const char *preload = getenv("LD_PRELOAD");
	const char *own = preload ? strstr(preload, "libpario-trace.so") : NULL, *name = own;
	size_t length;

	if (!own)
		return;
	while (own > preload && own[-1] != ':' && own[-1] != ' ')
		own--;
	length = strcspn(own, ": ");
	if (length >= sizeof(pario_trace_variables.library))
		return;
	memcpy(pario_trace_variables.library, own, length);
	pario_trace_variables.directory = (size_t)(name - own);
	strcpy(pario_trace_variables.trace, "PARIO_TRACE=");
	strcat(pario_trace_variables.trace, trace);
}

static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
				     "SLURM_PROCID", NULL };

static uint32_t number_from(const char *const *names)
{
	for (; *names; names++) {
		const char *text = getenv(*names);

		if (text && *text >= '0' && *text <= '9')
			return (uint32_t)strtoul(text, NULL, 10);
	}
	return UINT32_MAX;
}

static bool may_write(const char *directory)
{
	long r = pario_raw6(SYS_faccessat2, AT_FDCWD, (long)directory, W_OK | X_OK, AT_EACCESS, 0,
			    0);

	if (r == -ENOSYS)
		r = pario_raw3(SYS_faccessat, AT_FDCWD, (long)directory, W_OK | X_OK);
	return r == 0;
}

/*
 * A rank on a node that does not see the directory keeps its segments in one of the same name in /tmp; `pario trace
 * --join` takes them from there.
 */
static bool choose_away(const char *directory)
{
	const char *name = strrchr(directory, '/');
	char *to = pario_trace_directory;
	struct stat st;

	if (!name || !name[1] || strlen(name) > 64 || number_from(ranks) == UINT32_MAX)
		return false;
	strcpy(to, PARIO_TRACE_AWAY);
	strcat(to, name);
	pario_raw3(SYS_mkdirat, AT_FDCWD, (long)to, 0700);
	if (pario_raw6(SYS_newfstatat, AT_FDCWD, (long)to, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0) ==
		    0 &&
	    S_ISDIR(st.st_mode) && st.st_uid == (uid_t)pario_raw3(SYS_geteuid, 0, 0, 0) &&
	    !(st.st_mode & 022)) {
		pario_trace_key.name[0] = '\0';
		return true;
	}
	*to = '\0';
	return false;
}

/* "/some/directory", or where this process cannot write there, that before it. */
static bool choose_directory(const char *others)
{
	const char *directory = strchr(others, ':');
	size_t length;

	if (!directory)
		return false;
	length = strlen(++directory);
	if (pario_raw3(SYS_faccessat, AT_FDCWD, (long)directory, F_OK) == -ENOENT &&
	    choose_away(directory))
		return true;
	if (directory - others > 1 && !may_write(directory)) {
		length = (size_t)(directory - others) - 1;
		directory = others;
		pario_trace_key.name[0] = '\0';
	}
	if (length == 0 || length > DIRECTORY_MAX)
		return false;
	memcpy(pario_trace_directory, directory, length);
	return true;
}

/* ",0123456789abcdef,1000"; where it ends. */
static const char *read_key(const char *text)
{
	size_t length = strcspn(text + 1, ",:");

	if (text[length + 1] != ',' || length >= sizeof(pario_trace_key.name))
		return text;
	memcpy(pario_trace_key.name, text + 1, length);
	pario_trace_key.owner = (uint32_t)strtoul(text + length + 2, NULL, 10);
	return strchrnul(text, ':');
}

/* "tsc:0::/some/directory" */
bool pario_environment_read(bool *counts)
{
	const char *text = getenv("PARIO_TRACE");

	if (!text || strlen(text) > DIRECTORY_MAX)
		return false;
	keep_variables(text);
	*counts = pario_trace_counter = strncmp(text, "tsc:", 4) == 0;
	text = strchr(text, ':');
	if (!text)
		return false;
	for (text++; *text >= '0' && *text <= '9'; text++)
		pario_trace_stack = pario_trace_stack * 10 + (unsigned)(*text - '0');
	if (*text == ',')
		text = read_key(text);
	if (*text != ':')
		return false;
	if (pario_trace_stack > PARIO_TRACE_STACK_MAX)
		pario_trace_stack = PARIO_TRACE_STACK_MAX;
	return choose_directory(text + 1);
}

uint32_t pario_environment_rank(void)
{
	return number_from(ranks);
}

uint32_t pario_environment_ranks(void)
{
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     "SLURM_STEP_NUM_TASKS", NULL };

	return number_from(sizes);
}
