/*
 * terminal: asks the terminal, or reads what the front put into the environment when a launcher stands in between.
 *
 * A pario that re-executed itself gets its parent's answers. One that a launcher started looks at the launcher's own
 * streams: Open MPI gives its clients a terminal and MPICH a pipe, whatever the user has.
 */
#include "session/terminal.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/launch.h"
#include "engine/run_options.h"
#include "report/text/style.h"

enum { NARROWEST = 20, WIDEST = 1000, USUAL = 80 };

/* COLUMNS, where the user has set it; 0 = not, or nonsense. */
static unsigned wanted_columns(void)
{
	const char *text = getenv("COLUMNS");
	unsigned long columns = text ? strtoul(text, NULL, 10) : 0;

	return columns >= NARROWEST && columns <= WIDEST ? (unsigned)columns : 0;
}

static unsigned columns_of(int fd)
{
	struct winsize size;
	unsigned columns = wanted_columns();

	if (!columns && ioctl(fd, TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	return columns ? columns : USUAL;
}

unsigned pario_terminal_columns(unsigned before)
{
	struct winsize size;
	int fd = wanted_columns() ? -1 : open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0) {
		if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
			before = size.ws_col;
		close(fd);
	}
	return before;
}

/* The parent of a process, by /proc; 0 = unknown. */
static int parent_of(int pid)
{
	char path[64], text[512], *at = NULL;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	/* The name in parentheses may hold anything, so its last parenthesis counts. */
	if (file && fgets(text, sizeof(text), file))
		at = strrchr(text, ')');
	if (at)
		parent = (int)strtol(at + 1 + strspn(at + 1, " RSDTtZXxKWPI"), NULL, 10);
	if (file)
		fclose(file);
	return parent;
}

static bool is_proxy(int pid)
{
	char path[64], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (file) {
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
	}
	return strncmp(name, "hydra_pmi_proxy", 15) == 0;
}

/* Opens a stream of the launcher when it is a terminal; -1 = it is none, or is out of sight. */
static int open_launcher(int stream)
{
	char path[64], target[256];
	int pid = getppid();
	ssize_t length;

	if (is_proxy(pid))
		pid = parent_of(pid);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, stream);
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return -1;
	target[length] = '\0';
	if (strncmp(target, "/dev/pts/", 9) != 0 && strncmp(target, "/dev/tty", 8) != 0)
		return -1;
	return open(target, O_RDONLY | O_NOCTTY | O_CLOEXEC);
}

static void look_at_launcher(struct pario_style *style)
{
	int out = open_launcher(STDOUT_FILENO), say = open_launcher(STDERR_FILENO);

	if (out >= 0) {
		style->columns = columns_of(out);
		style->progress = say >= 0;
		close(out);
	}
	if (say >= 0)
		close(say);
}

void pario_terminal_style(struct pario_style *style, int color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool dumb = term && strcmp(term, "dumb") == 0;

	*style = (struct pario_style){ 0 };
	if (getenv("PARIO_TERMINAL_COLUMNS")) {
		style->columns = pario_launch_columns();
		style->color = pario_launch_color();
		style->progress = pario_launch_progress();
	} else {
		if (pario_launch_promised() > 0) {
			look_at_launcher(style);
		} else if (isatty(STDOUT_FILENO)) {
			style->columns = columns_of(STDOUT_FILENO);
			style->progress = isatty(STDERR_FILENO);
		}
		style->color = style->columns > 0 && !dumb && !(no_color && *no_color);
		style->progress = style->progress && !dumb;
	}
	if (color != PARIO_COLOR_AUTO)
		style->color = color == PARIO_COLOR_ALWAYS;
}

/* Columns are set apart by two blanks. */
static bool is_row(const char *line, size_t length)
{
	for (size_t i = strspn(line, " "); i + 1 < length; i++) {
		if (line[i] == ' ' && line[i + 1] == ' ')
			return true;
	}
	return false;
}

void pario_terminal_print(const char *text)
{
	struct pario_text line = { 0 }, out = { 0 };
	struct pario_style style;

	pario_terminal_style(&style, PARIO_COLOR_AUTO);
	style.columns = wanted_columns() ? wanted_columns() : style.columns;
	while (*text) {
		size_t length = strcspn(text, "\n"), lead = strspn(text, " ");

		pario_text_clear(&line);
		pario_text_bytes(&line, text, length);
		if (length == 0 || is_row(text, length))
			pario_text_add(&out, "%s\n", pario_text_string(&line));
		else
			pario_style_wrap(&style, pario_text_string(&line),
					 (unsigned)lead + (text[lead] == '-' ? 2 : 0), &out);
		text += length + (text[length] == '\n');
	}
	fputs(pario_text_string(&out), stdout);
	pario_text_release(&line);
	pario_text_release(&out);
}
