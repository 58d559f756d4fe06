/*
 * darshan_csv: lines as the records come. Real counters have the six digits that darshan-parser prints.
 */
#include "profile/read/darshan_csv.h"

#include <fcntl.h>
#include <string.h>

#include "base/csv.h"
#include "base/output.h"
#include "darshan/names.h"
#include "profile/read/darshan_file.h"
#include "profile/show/export_file.h"

static const char head[] =
	"module,rank,record,counter,value,file,host,segment,offset,bytes,start_s,end_s\n";
static const char gzip_mark[] = "pario profile --csv";

struct writer {
	struct pario_export_file sink;
	struct pario_darshan_names names;
	struct pario_text file; /* the quoted name of the record's file */
	const char *module;
	uint64_t number; /* of the record whose file that is */
};

/* "module,rank,record,what," */
static void begin(struct writer *w, const struct pario_darshan_record *record, const char *what)
{
	const char *name;

	if (w->module != record->module || w->number != record->number) {
		name = pario_darshan_names_of(&w->names, record->id);
		pario_text_clear(&w->file);
		pario_csv_quote(&w->file, name ? name : "");
		w->module = record->module;
		w->number = record->number;
	}
	pario_export_file_text(&w->sink, record->module);
	pario_export_file_text(&w->sink, ",");
	pario_export_file_i64(&w->sink, record->rank);
	pario_export_file_text(&w->sink, ",");
	pario_export_file_u64(&w->sink, record->id);
	pario_export_file_text(&w->sink, ",");
	pario_export_file_text(&w->sink, what);
	pario_export_file_text(&w->sink, ",");
}

static void add_real(struct writer *w, double value)
{
	char digits[400];

	snprintf(digits, sizeof(digits), "%f", value);
	pario_export_file_text(&w->sink, digits);
}

static int write_counter(void *self, const struct pario_darshan_record *record,
			 const struct pario_darshan_value *value, struct pario_err *err)
{
	struct writer *w = self;
	struct pario_text word = { 0 };

	(void)err;
	begin(w, record, value->name);
	if (value->kind == PARIO_DARSHAN_WORD)
		pario_csv_quote(&word, value->word);
	if (value->kind == PARIO_DARSHAN_WORD)
		pario_export_file_text(&w->sink, pario_text_string(&word));
	else if (value->kind == PARIO_DARSHAN_REAL)
		add_real(w, value->real);
	else
		pario_export_file_i64(&w->sink, value->whole);
	pario_export_file_text(&w->sink, ",");
	pario_export_file_text(&w->sink, pario_text_string(&w->file));
	pario_export_file_text(&w->sink, ",,,,,,\n");
	pario_text_release(&word);
	return w->sink.failed ? -1 : 0;
}

static int write_segment(void *self, const struct pario_darshan_record *record,
			 const struct pario_darshan_segment *s, struct pario_err *err)
{
	struct writer *w = self;
	struct pario_text host = { 0 };

	(void)err;
	begin(w, record, s->write ? "write" : "read");
	pario_csv_quote(&host, s->host);
	pario_export_file_text(&w->sink, ",");
	pario_export_file_text(&w->sink, pario_text_string(&w->file));
	pario_export_file_text(&w->sink, ",");
	pario_export_file_text(&w->sink, pario_text_string(&host));
	pario_text_release(&host);
	for (int i = 0; i < 3; i++) {
		pario_export_file_text(&w->sink, ",");
		pario_export_file_i64(&w->sink, (int64_t)(i == 0   ? s->index
							  : i == 1 ? s->offset
								   : s->bytes));
	}
	pario_export_file_text(&w->sink, ",");
	add_real(w, s->start);
	pario_export_file_text(&w->sink, ",");
	add_real(w, s->end);
	pario_export_file_text(&w->sink, "\n");
	return w->sink.failed ? -1 : 0;
}

static int write_modules(struct writer *w, const struct pario_darshan_log *log,
			 struct pario_err *err)
{
	const struct pario_darshan_see see = { write_counter, write_segment, w };
	int status = 0;

	pario_export_file_text(&w->sink, head);
	for (unsigned i = 0; status >= 0 && i < log->count; i++) {
		if (log->module[i].length)
			status = pario_darshan_module_read(log, i, &see, err);
	}
	return status < 0 ? -1 : 0;
}

static int write_log(struct writer *w, const struct pario_darshan_log *log, const char *path,
		     bool force, struct pario_err *err)
{
	const struct pario_output_rule rule = {
		.mark = pario_export_file_compresses(path) ? gzip_mark : head, .force = force
	};
	struct pario_output output = { 0 };
	int status;

	if (pario_output_begin(&output, AT_FDCWD, path, &rule, err) < 0)
		return -1;
	status = pario_export_file_open(&w->sink, output.file, path, gzip_mark, err);
	if (status == 0)
		status = write_modules(w, log, err);
	if (pario_export_file_close(&w->sink) < 0)
		status = pario_err_set(err, PARIO_SYSTEM, "%s could not be written whole.", path);
	return pario_output_end(&output, status == 0, err) < 0 ? -1 : status;
}

int pario_darshan_csv(const char *log, const char *csv, bool force, struct pario_err *err)
{
	struct pario_darshan_file file;
	struct writer w = { .number = UINT64_MAX };
	int status;

	if (pario_darshan_file_open(&file, log, err) < 0)
		return -1;
	status = pario_darshan_names_load(&w.names, &file.log, err);
	if (status == 0)
		status = write_log(&w, &file.log, csv, force, err);
	pario_darshan_names_release(&w.names);
	pario_text_release(&w.file);
	pario_darshan_file_close(&file);
	return status;
}
