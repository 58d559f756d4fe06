/*
 * load: /proc/stat counts in ticks of a hundredth of a second, pressure and throttling in microseconds, schedstat in
 * nanoseconds.
 */
#include "machine/load.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/proc.h"

static FILE *open_file(const char *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return fopen(path, "re");
}

/* No machine has counted further: all bits set are no number, nor are negative ones and words. */
static bool counts(double value)
{
	return value >= 0 && value < 0x1p63;
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice", and how many run. */
static void read_stat(const char *root, struct pario_node_load *load)
{
	FILE *file = open_file(root, "/proc/stat");
	double tick = (double)sysconf(_SC_CLK_TCK), user, nice, steal;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		/* a blank in a format stands for none as well: cpu0 would be taken for all */
		if (strncmp(line, "cpu ", 4) == 0 &&
		    sscanf(line, "cpu %lf %lf %*s %*s %*s %*s %*s %lf", &user, &nice, &steal) ==
			    3 &&
		    counts(user) && counts(nice) && counts(steal) && tick > 0) {
			load->user_s = (user + nice) / tick;
			load->steal_s = steal / tick;
		} else if (strncmp(line, "cpu", 3) == 0) {
			load->processors++;
		} else if (strncmp(line, "procs_running ", 14) == 0) {
			pario_proc_number(line + 14, &load->running);
			break;
		}
	}
	if (file)
		fclose(file);
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=51" */
static double read_pressure(const char *root, const char *name)
{
	char path[PATH_MAX], text[256];
	const char *total;
	uint64_t us;

	snprintf(path, sizeof(path), "%s/proc/pressure/%s", root, name);
	if (!pario_proc_text(path, text, sizeof(text)))
		return NAN;
	total = strncmp(text, "some ", 5) == 0 ? strstr(text, "total=") : NULL;
	return total && pario_proc_number(total + 6, &us) ? (double)us * 1e-6 : (double)NAN;
}

/* The largest of a cgroup and those above it; `group` is shortened. */
static double climb(const char *root, const char *mount, char *group, const char *key, double unit)
{
	double most = NAN;
	uint64_t value;

	for (;;) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s%s%s/cpu.stat", root, mount, group);
		if (pario_proc_keyed(path, key, &value))
			most = fmax(most, (double)value * unit);
		if (!strrchr(group, '/'))
			return most;
		*strrchr(group, '/') = '\0';
	}
}

/* Lines like "0::/user.slice" (version 2) and "4:cpu,cpuacct:/docker/1f" (version 1). */
static double read_throttled(const char *root)
{
	FILE *file = open_file(root, "/proc/self/cgroup");
	char line[PATH_MAX];
	double most = NAN;

	while (file && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':'), *group;

		group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (strcmp(controllers, ":") == 0)
			most = fmax(most,
				    climb(root, "/sys/fs/cgroup", group, "throttled_usec", 1e-6));
		else if (strncmp(controllers, ":cpu", 4) == 0 &&
			 (controllers[4] == ',' || !controllers[4]))
			most = fmax(most, climb(root, "/sys/fs/cgroup/cpu", group, "throttled_time",
						1e-9));
	}
	if (file)
		fclose(file);
	return most;
}

void pario_load_node(const char *root, struct pario_node_load *load)
{
	static const char *const names[PARIO_PRESSURES] = { "cpu", "io", "memory" };

	*load = (struct pario_node_load){ .user_s = NAN, .steal_s = NAN };
	for (int i = 0; i < PARIO_PRESSURES; i++)
		load->pressure_s[i] = read_pressure(root, names[i]);
	load->throttled_s = read_throttled(root);
	read_stat(root, load);
	load->ns = pario_clock_ns();
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

double pario_load_waited(const char *root)
{
	char path[PATH_MAX], text[128];
	uint64_t ns;

	/* "ran waited slices" */
	snprintf(path, sizeof(path), "%s/proc/self/schedstat", root);
	if (pario_proc_text(path, text, sizeof(text)) && pario_proc_number(text, &ns) &&
	    strchr(text, ' ') && pario_proc_number(strchr(text, ' '), &ns))
		return (double)ns * 1e-9;
	return NAN;
}

void pario_load_own(const char *root, struct pario_own_load *load)
{
	struct rusage self = { 0 }, children = { 0 };

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	load->user_s = seconds(self.ru_utime) + seconds(children.ru_utime);
	load->switches = (uint64_t)self.ru_nivcsw + (uint64_t)children.ru_nivcsw;
	load->waited_s = pario_load_waited(root);
}
