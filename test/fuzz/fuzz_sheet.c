/*
 * Any bytes as the journal of a profile: the classes in it are refused with a sentence, or taken and, one in 8,
 * predicted, and what comes out is a number.
 */
#include <math.h>

#include "journal_bytes.h"
#include "predict/estimate/predict.h"

static void add_surface(struct pario_system *s, enum pario_system_op op,
			enum pario_system_path path)
{
	struct pario_system_surface *surface = pario_system_add_surface(s);

	surface->op = op;
	surface->locality = PARIO_SYSTEM_SEQUENTIAL;
	surface->path = path;
	surface->clients = 1;
	*pario_system_add_piece(surface) = (struct pario_system_piece){ 1, 1 << 20, 1e-6, 1e-9 };
}

static void load(const char *path)
{
	struct pario_sheet sheet;
	struct pario_err err = { 0 };

	if (pario_sheet_load(&sheet, path, &err) == 0)
		pario_sheet_release(&sheet);
	else
		require(err.text[0] != '\0');
}

static void predict(const char *path)
{
	static struct pario_prediction p;
	struct pario_err err = { 0 };
	struct pario_system system;
	const struct pario_predict_request request = {
		.trace = path, .reference = &system, .target = &system, .think = 1
	};

	pario_system_init(&system);
	add_surface(&system, PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT);
	add_surface(&system, PARIO_SYSTEM_READ, PARIO_SYSTEM_MISS);
	add_surface(&system, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_ABSORBED);
	if (pario_sheet_is_journal(path)) {
		if (pario_predict(&p, &request, &err) == 0) {
			require(isfinite(
				p.estimates[PARIO_MODEL_HYBRID][PARIO_QUANTITY_TOTAL].seconds));
			require(isfinite(
				p.estimates[PARIO_MODEL_RATIO][PARIO_QUANTITY_TOTAL].seconds));
			pario_prediction_release(&p);
		} else {
			require(err.text[0] != '\0');
		}
	}
	pario_system_release(&system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = repaired_input(0, data, size);

	if (one_in(8, data, size))
		predict(path);
	else
		load(path);
	return 0;
}
