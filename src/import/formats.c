/*
 * formats: what can be imported. A new format is a file with `recognise` and `read`, and a row here.
 */
#include "import/formats.h"

const struct pario_import_format pario_import_formats[] = {
	{ "fio", "fio's JSON (json or json+)", pario_fio_recognise, pario_fio_read },
	{ "ior-json", "IOR's JSON", pario_ior_json_recognise, pario_ior_json_read },
	{ "io500-result", "io500's result.txt", pario_io500_recognise, pario_io500_read },
	{ "io500-summary", "io500's result_summary.txt", pario_io500_summary_recognise,
	  pario_io500_summary_read },
	{ "darshan-dxt", "the text of darshan-dxt-parser", pario_dxt_recognise, pario_dxt_read },
	{ "darshan", "the text of darshan-parser", pario_darshan_recognise, pario_darshan_read },
	{ "mdtest", "mdtest's text", pario_mdtest_recognise, pario_mdtest_read },
	{ "ior-text", "IOR's text", pario_ior_text_recognise, pario_ior_text_read },
	{ 0 },
};
