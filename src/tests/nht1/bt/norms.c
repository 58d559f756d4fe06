/*
 * norms: five planes of the solution and five of the exact solution in rings; each point of the middle plane gives
 * its squares.
 *
 * The forcing is -L(exact), so the residual is L(u) - L(exact): the norms need no stored forcing.
 */
#include "tests/nht1/bt/norms.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nht1/bt/operator.h"
#include "tests/nht1/bt/problem.h"

enum { RING = 5 };

struct pario_bt_norms {
	int n, z0, end;	       /* planes z0 .. end-1 count */
	int first, next, last; /* planes first .. last-1 are fed; next comes next */
	bool residual;
	double *ring[RING], *exact[RING]; /* plane z is at z % RING */
	double xcr[5], xce[5];
};

static void exact_plane(int n, int z, double *plane)
{
	double h = 1.0 / (n - 1);

	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++, plane += 5)
			pario_bt_exact(i * h, j * h, z * h, plane);
}

int pario_bt_norms_create(struct pario_bt_norms **norms, char class, uint64_t z0, uint64_t nz,
			  bool residual, struct pario_err *err)
{
	const struct pario_bt_problem *p = pario_bt_problem(class);
	struct pario_bt_norms *s;
	size_t plane;

	if (!p || z0 > (uint64_t)p->n || nz > (uint64_t)p->n - z0)
		return pario_err_set(err, PARIO_USAGE,
				     "norms cannot be made: class %c of BT has no planes %llu to "
				     "%llu. Choose one of the classes %s.",
				     class, (unsigned long long)z0, (unsigned long long)(z0 + nz),
				     pario_bt_classes());
	s = calloc(1, sizeof(*s));
	if (!s)
		goto no_memory;
	s->n = p->n;
	s->z0 = (int)z0;
	s->end = (int)(z0 + nz);
	s->residual = residual;
	s->first = s->z0 - 2 * residual > 0 ? s->z0 - 2 * residual : 0;
	s->last = s->end + 2 * residual < s->n ? s->end + 2 * residual : s->n;
	s->next = s->first;
	plane = (size_t)s->n * (size_t)s->n * 5 * sizeof(double);
	for (int i = 0; i < RING; i++) {
		s->ring[i] = malloc(plane);
		s->exact[i] = malloc(plane);
		if (!s->ring[i] || !s->exact[i])
			goto no_memory;
	}
	*norms = s;
	return 0;

no_memory:
	pario_bt_norms_free(s);
	return pario_err_sys(err, ENOMEM, NULL, "ten planes for the norms of class %c of BT failed",
			     class);
}

void pario_bt_norms_free(struct pario_bt_norms *norms)
{
	if (!norms)
		return;
	for (int i = 0; i < RING; i++) {
		free(norms->ring[i]);
		free(norms->exact[i]);
	}
	free(norms);
}

void pario_bt_norms_wants(const struct pario_bt_norms *norms, uint64_t *z, uint64_t *count)
{
	*z = (uint64_t)norms->first;
	*count = (uint64_t)(norms->last - norms->first);
}

static void add_errors(struct pario_bt_norms *s, int z)
{
	const double *u = s->ring[z % RING], *e = s->exact[z % RING];
	size_t points = (size_t)s->n * (size_t)s->n;

	if (z < s->z0 || z >= s->end)
		return;
	for (size_t p = 0; p < points; p++, u += 5, e += 5)
		for (int m = 0; m < 5; m++)
			s->xce[m] += (u[m] - e[m]) * (u[m] - e[m]);
}

/* L at a point of the middle plane of a ring. A neighbour beyond the grid is replaced by the point itself. */
static void whole_operator(int n, const double *const planes[RING], int i, int j, int k,
			   double out[5])
{
	ptrdiff_t row = 5 * (ptrdiff_t)n, at = j * row + 5 * (ptrdiff_t)i;
	const double *x[RING], *y[RING], *z[RING];

	for (int q = 0; q < RING; q++) {
		int d = q - 2;

		x[q] = planes[2] + at + (i + d < 0 || i + d >= n ? 0 : d * 5);
		y[q] = planes[2] + at + (j + d < 0 || j + d >= n ? 0 : d * row);
		z[q] = planes[k + d < 0 || k + d >= n ? 2 : q] + at;
	}
	pario_bt_operator(n, 0, i, x, out);
	pario_bt_operator(n, 1, j, y, out);
	pario_bt_operator(n, 2, k, z, out);
}

/* Once plane z + 2 (or the last) is in the ring. */
static void add_residuals(struct pario_bt_norms *s, int z)
{
	const double *u[RING], *e[RING];

	if (!s->residual || z < s->z0 || z >= s->end || z < 1 || z > s->n - 2)
		return;
	for (int q = 0; q < RING; q++) {
		u[q] = s->ring[(z + q - 2 + RING) % RING];
		e[q] = s->exact[(z + q - 2 + RING) % RING];
	}
	for (int j = 1; j < s->n - 1; j++)
		for (int i = 1; i < s->n - 1; i++) {
			double mine[5] = { 0 }, forcing[5] = { 0 };

			whole_operator(s->n, u, i, j, z, mine);
			whole_operator(s->n, e, i, j, z, forcing);
			for (int m = 0; m < 5; m++)
				s->xcr[m] += (mine[m] - forcing[m]) * (mine[m] - forcing[m]);
		}
}

void pario_bt_norms_plane(struct pario_bt_norms *s, const double *plane)
{
	int z = s->next;

	if (z >= s->last)
		return;
	memcpy(s->ring[z % RING], plane, (size_t)s->n * (size_t)s->n * 5 * sizeof(double));
	exact_plane(s->n, z, s->exact[z % RING]);
	s->next++;
	add_errors(s, z);
	add_residuals(s, z - 2);
	if (s->next == s->last && z == s->n - 1)
		add_residuals(s, z - 1);
}

void pario_bt_norms_sums(const struct pario_bt_norms *norms, double xcr[5], double xce[5])
{
	memcpy(xcr, norms->xcr, sizeof(norms->xcr));
	memcpy(xce, norms->xce, sizeof(norms->xce));
}

void pario_bt_norms_finish(char class, double xcr[5], double xce[5])
{
	double inner = pario_bt_points(class) - 2;

	for (int m = 0; m < 5; m++) {
		xcr[m] = sqrt(xcr[m] / (inner * inner * inner));
		xce[m] = sqrt(xce[m] / (inner * inner * inner));
	}
}
