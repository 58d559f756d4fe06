/*
 * operator: fluxes, second differences and dissipation along one direction at one point.
 */
#include "tests/nht1/bt/operator.h"

#include "tests/nht1/bt/problem.h"

/* What one point brings to the differences along direction `v` (its momentum is component v + 1). */
struct terms {
	double flux[5];	  /* under t2 q1, with a minus */
	double second[5]; /* under k q2 */
};

static struct terms terms_of(const double *u, int v)
{
	double r = 1 / u[0], vel = u[v + 1] * r;
	double square = (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) * r / 2;
	struct terms t;

	t.flux[0] = u[v + 1];
	t.second[0] = 0;
	for (int m = 1; m < 4; m++) {
		t.flux[m] = u[m] * vel;
		t.second[m] = u[m] * r;
	}
	t.flux[v + 1] += PARIO_BT_C2 * (u[4] - square);
	t.second[v + 1] *= 4.0 / 3;
	t.flux[4] = (PARIO_BT_C1 * u[4] - PARIO_BT_C2 * square) * vel;
	t.second[4] = -0.96 * square * r + vel * vel / 6 + 1.96 * u[4] * r;
	return t;
}

/* Weights of the points i-2 .. i+2 in the dissipation; points on the boundary never enter. */
static void weights(int n, int i, double w[5])
{
	static const double inner[5] = { 1, -4, 6, -4, 1 };

	for (int p = 0; p < 5; p++)
		w[p] = i + p - 2 >= 1 && i + p - 2 <= n - 2 ? inner[p] : 0;
	if (i == 1 || i == n - 2)
		w[2] = 5;
}

void pario_bt_operator(int n, int direction, int i, const double *const p[5], double out[5])
{
	double h = 1.0 / (n - 1), t1 = 1 / (h * h), t2 = 0.5 / h, k = PARIO_BT_C3C4 * t1;
	double d = pario_bt_second(direction), w[5];
	struct terms low = terms_of(p[1], direction), at = terms_of(p[2], direction),
		     high = terms_of(p[3], direction);

	weights(n, i, w);
	for (int m = 0; m < 5; m++) {
		double sum = d * t1 * (p[3][m] - 2 * p[2][m] + p[1][m]) +
			     k * (high.second[m] - 2 * at.second[m] + low.second[m]) -
			     t2 * (high.flux[m] - low.flux[m]);

		for (int q = 0; q < 5; q++)
			if (w[q] != 0)
				sum -= PARIO_BT_DSSP * w[q] * p[q][m];
		out[m] += sum;
	}
}
