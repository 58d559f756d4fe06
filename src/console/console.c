/*
 * console: errors and names on their way to a terminal, with control bytes made visible. terminal.c has the style.
 */
#include "console/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

int pario_console_argc;
char **pario_console_argv;

int pario_console_say(const struct pario_err *err)
{
	struct pario_text text = { 0 };

	pario_text_clean(&text, err->text);
	fprintf(stderr, "pario: %s\n", pario_text_string(&text));
	pario_text_release(&text);
	return err->code ? (int)err->code : PARIO_SYSTEM;
}

void pario_console_warn(const char *format, ...)
{
	struct pario_text plain = { 0 }, clean = { 0 };
	va_list arguments;

	va_start(arguments, format);
	pario_text_vadd(&plain, format, arguments);
	va_end(arguments);
	pario_text_clean(&clean, pario_text_string(&plain));
	fprintf(stderr, "pario: %s\n", pario_text_string(&clean));
	pario_text_release(&plain);
	pario_text_release(&clean);
}

void pario_console_show(const char *name)
{
	struct pario_text text = { 0 };

	pario_text_clean(&text, name);
	fputs(pario_text_string(&text), stdout);
	pario_text_release(&text);
}

void pario_console_show_lines(const char *text)
{
	struct pario_text line = { 0 };
	size_t length;

	for (; *text; text += length) {
		length = strcspn(text, "\n\t");
		pario_text_clear(&line);
		pario_text_bytes(&line, text, length);
		pario_console_show(pario_text_string(&line));
		if (text[length])
			putchar(text[length++]);
	}
	pario_text_release(&line);
}
