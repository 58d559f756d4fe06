/*
 * formats: what can be imported. A new format is a file with `read` and a sign by which it is known, and a row here.
 */
#include "import/formats.h"

const struct pario_import_format pario_import_formats[] = {
	{ "darshan-log", "a log of Darshan", .begins = pario_darshan_log_begins,
	  .read = pario_darshan_log_read },
	{ "fio", "fio's JSON (json or json+)", .member = "fio version", .read = pario_fio_read },
	{ "ior-json", "IOR's JSON", .member = "Began", .read = pario_ior_json_read },
	{ "elbencho-json", "elbencho's JSON", .member = "phase_type",
	  .read = pario_elbencho_json_read },
	{ "io500-result", "io500's result.txt", .sign = pario_io500_sign,
	  .read = pario_io500_read },
	{ "darshan-dxt", "the text of darshan-dxt-parser", .sign = pario_dxt_sign,
	  .read = pario_dxt_read, .hides_next = true },
	{ "darshan", "the text of darshan-parser", .sign = pario_darshan_sign,
	  .read = pario_darshan_read },
	{ "text", "the text of IOR, mdtest or io500", .sign = pario_text_sign,
	  .read = pario_text_read },
	{ "elbencho", "elbencho's CSV", .sign = pario_elbencho_sign, .read = pario_elbencho_read },
	{ "ior-csv", "IOR's CSV", .sign = pario_ior_csv_sign, .read = pario_ior_csv_read },
	{ "ior-ranks", "IOR's CSV of single ranks", .sign = pario_ior_ranks_sign,
	  .read = pario_ior_ranks_read },
	{ "mdtest-ranks", "mdtest's CSV of single ranks", .sign = pario_mdtest_ranks_sign,
	  .read = pario_mdtest_ranks_read },
	{ 0 },
};
