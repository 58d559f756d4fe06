/*
 * Any text as a script of IOR, as a configuration of IO500, or as the words of a command line of IOR or mdtest. What
 * is taken can be shown; what is refused has a sentence.
 */
#include "compat/io500.h"
#include "compat/ior.h"
#include "compat/mdtest.h"

#include "journal_bytes.h"

enum { WORDS = 48 };

static void end(struct pario_peer_job *job, int status, const struct pario_err *err)
{
	struct pario_text out = { 0 };

	if (status == 0)
		pario_peer_equivalents(job, &out);
	else
		require(err->text[0] != '\0');
	pario_text_release(&out);
	pario_peer_release(job);
}

static void script(char *text)
{
	struct pario_peer_job job = { 0 };
	struct pario_err err = { 0 };
	int status = pario_peer_init(&job, &pario_ior, &err);

	if (status == 0)
		status = pario_ior_script(&job, "script", text, &err);
	if (status == 0)
		status = pario_peer_translate(&job, &err);
	end(&job, status, &err);
}

static void io500(const char *text, size_t length)
{
	struct pario_io500 io;
	struct pario_err err = { 0 };

	if (pario_io500_configure(&io, "ini", text, length, 0, &err) < 0)
		require(err.text[0] != '\0');
	pario_io500_release(&io);
}

static void words(char *text, bool ior)
{
	struct pario_peer_job job = { 0 };
	struct pario_err err = { 0 };
	char *list[WORDS], *save = NULL;
	int count = 0, status;

	for (char *w = strtok_r(text, " \n", &save); w && count < WORDS;
	     w = strtok_r(NULL, " \n", &save))
		list[count++] = w;
	status = pario_peer_init(&job, ior ? &pario_ior : &pario_mdtest, &err);
	if (status == 0)
		status = pario_peer_argv(&job, count, list, ior ? 'O' : 0, &err);
	if (status == 0)
		status = pario_peer_translate(&job, &err);
	end(&job, status, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size == 0)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	/* A hints file is opened by its name, which is not the fuzzer's to choose. */
	if (data[0] == 'i')
		io500((const char *)data + 1, size - 1);
	else if (data[0] == 's' && !strcasestr(text, "hintsFile"))
		script(text);
	else if (data[0] == 'o' && !strcasestr(text, "hintsFile") && !strchr(text, 'U'))
		words(text, true);
	else if (data[0] == 'm')
		words(text, false);
	free(text);
	return 0;
}
