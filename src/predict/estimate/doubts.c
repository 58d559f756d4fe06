/*
 * doubts: one function per reason, each with its threshold; they only add sentences and never change a number.
 */
#include "predict/estimate/doubts.h"

#include <math.h>
#include <string.h>

enum { UNSTABLE_RSD = 20 };

static const double NOTABLE = 0.05; /* of the I/O time */

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void noise(struct pario_prediction *p)
{
	static const char *const names[] = { "reference", "target" };

	for (int i = 0; i < 2; i++) {
		double rsd = p->systems[i]->noise_floor_rsd;

		if (isnan(rsd))
			pario_text_add(
				&p->doubts,
				"The noise floor of the %s was not measured: intervals may be too narrow.\n",
				names[i]);
		else if (rsd > UNSTABLE_RSD)
			pario_text_add(
				&p->doubts,
				"The %s is unstable: the same measurement there differs by %.0f %%. "
				"No prediction from or for it is worth much.\n",
				names[i], rsd);
	}
}

/* Seconds of the prediction that rest on any of these. */
static double resting_on(const struct pario_prediction *p, unsigned bits)
{
	double seconds = 0;

	for (uint32_t i = 1; i <= p->target.classes.map.count; i++) {
		const struct pario_class *c = &p->target.classes.list[i];

		seconds += c->rests_on & bits ? c->seconds : 0;
	}
	return seconds;
}

static void coverage(struct pario_prediction *p)
{
	double io = p->estimates[PARIO_MODEL_HYBRID][PARIO_QUANTITY_TOTAL].seconds;

	p->outside_share = share(resting_on(p, PARIO_COST_SIZE | PARIO_COST_CLIENTS), io);
	p->rough_share = share(resting_on(p, PARIO_COST_OTHER_PATH | PARIO_COST_OTHER_OP), io);
	p->unknown_share = share(resting_on(p, PARIO_COST_UNKNOWN), io);
	if (p->outside_share > NOTABLE)
		pario_text_add(
			&p->doubts,
			"Extrapolation: %.0f %% of the predicted I/O time is of sizes or client counts far "
			"outside of what was characterized.\n",
			100 * p->outside_share);
	if (p->rough_share > NOTABLE)
		pario_text_add(
			&p->doubts,
			"%.0f %% of the predicted I/O time rests on surfaces of another path or operation, because "
			"its own were not measured on the target.\n",
			100 * p->rough_share);
	if (p->unknown_share > NOTABLE)
		pario_text_add(
			&p->doubts,
			"%.0f %% of the predicted I/O time is of operations that were not characterized at all; they "
			"are taken to last as long as on the reference.\n",
			100 * p->unknown_share);
}

static void not_modelled(struct pario_prediction *p)
{
	const struct pario_sim *r = &p->reference;
	double io = pario_sim_io_measured(r);

	if (r->asynchronous)
		pario_text_add(
			&p->doubts,
			"%llu asynchronous requests (%.3g s beside the program's calls) are not modelled.\n",
			(unsigned long long)r->asynchronous, r->asynchronous_seconds);
	if (r->mapped)
		pario_text_add(
			&p->doubts,
			"%llu parts of files were mapped: what is read and written through memory is in no trace.\n",
			(unsigned long long)r->mapped);
	if (share(r->kept, io) > NOTABLE)
		pario_text_add(
			&p->doubts,
			"%.0f %% of the I/O time is of calls that no surface describes (library buffers, advice, "
			"locks that are waited for, calls that failed); they are taken to last as long as on the reference.\n",
			100 * share(r->kept, io));
	if (p->learnt.flows.unmatched_seconds > NOTABLE * r->makespan_measured)
		pario_text_add(
			&p->doubts,
			"%.3g s in calls on pipes and sockets are taken to last as long as on the reference: their other "
			"end is not in the trace, so the makespan may be far off.\n",
			p->learnt.flows.unmatched_seconds);
	if (p->target.given_up)
		pario_text_add(
			&p->doubts,
			"%llu calls waited for others that never came: calls are missing in the trace, and the makespan "
			"is not to be trusted.\n",
			(unsigned long long)p->target.given_up);
}

static void of_profile(struct pario_prediction *p)
{
	if (p->profiled)
		pario_text_add(
			&p->doubts,
			"This is from a profile. Not modelled are the order of the calls, what memory holds on the target "
			"(a read that came from memory on the reference counts as one there, and so does one that did not) "
			"and ranks that wait for each other. The trace has all of these.\n");
}

static void of_trace(struct pario_prediction *p)
{
	struct pario_text lacks = { 0 };

	if (p->trace.version == 1)
		pario_text_add(
			&p->doubts,
			"The trace has version 1: which ranks waited for each other, which files were there before and "
			"which descriptors write through is not in it, so waiting takes as long as it did and files "
			"count as new. Trace again for the rest.\n");
	else if (p->profiled)
		pario_text_add(&lacks, "%s", pario_text_string(&p->sheet.lacks));
	else
		pario_trace_lacks(&p->trace, &lacks);
	if (lacks.length)
		pario_text_add(&p->doubts, "%s", lacks.data);
	pario_text_release(&lacks);
	if (p->reference.elsewhere)
		pario_text_add(
			&p->doubts,
			"No file of the trace lies below %s, where the reference was characterized: all "
			"are taken for files on it.\n",
			p->systems[0]->point);
}

static void self_test(struct pario_prediction *p)
{
	double predicted = p->estimates[PARIO_MODEL_MODEL][PARIO_QUANTITY_TOTAL].seconds;
	double measured = p->measured[PARIO_QUANTITY_TOTAL];

	if (p->same)
		pario_text_add(
			&p->doubts,
			"Reference and target are the same: this is a self-test. The model's own error is "
			"%+.1f %% of the I/O time.\n",
			measured > 0 ? 100 * (predicted - measured) / measured : 0.0);
}

void pario_prediction_doubt(struct pario_prediction *p)
{
	self_test(p);
	noise(p);
	coverage(p);
	not_modelled(p);
	of_profile(p);
	of_trace(p);
}
