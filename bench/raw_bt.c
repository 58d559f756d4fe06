/*
 * raw_bt: BT as one writes it down: scalar loops, one line after the other, every block in memory, Gauss-Jordan.
 *
 * usage: raw_bt CLASS STEPS. One process, no MPI; what pario's solver is measured against where no NPB is at hand.
 * The blocks of a whole line are formed first and then eliminated, as the NPB programs do it. Prints Gop/s by NPB's
 * count and the error norm's first component, so that the two can be compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/nht1/bt/norms.h"
#include "tests/nht1/bt/operator.h"
#include "tests/nht1/bt/problem.h"

enum { MOST = 408 };

struct block {
	double m[5][5];
};

static int n;
static double dt, h;
static double (*u)[5], (*rhs)[5], (*forcing)[5];

static size_t at(int i, int j, int k)
{
	return ((size_t)k * (size_t)n + (size_t)j) * (size_t)n + (size_t)i;
}

static void exact_operator(const int p[3], double out[5])
{
	double values[5][5];
	const double *q[5];

	memset(out, 0, 5 * sizeof(double));
	for (int d = 0; d < 3; d++) {
		for (int s = 0; s < 5; s++) {
			double x[3] = { p[0] * h, p[1] * h, p[2] * h };

			x[d] = (p[d] + s - 2) * h;
			pario_bt_exact(x[0], x[1], x[2], values[s]);
			q[s] = values[s];
		}
		pario_bt_operator(n, d, p[d], q, out);
	}
}

static void start(void)
{
	for (int k = 0; k < n; k++)
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				double out[5] = { 0 };

				pario_bt_initial(n, i, j, k, u[at(i, j, k)]);
				if (i > 0 && j > 0 && k > 0 && i < n - 1 && j < n - 1 && k < n - 1)
					exact_operator((const int[3]){ i, j, k }, out);
				for (int m = 0; m < 5; m++)
					forcing[at(i, j, k)][m] = -out[m];
			}
}

/* Fluxes and viscous terms of one line, then their differences. */
static void add_line(size_t first, size_t step, int direction)
{
	static double flux[MOST][5], second[MOST][5];
	double t1 = 1 / (h * h), t2 = 0.5 / h, d = pario_bt_second(direction) * t1;
	int v = direction + 1;

	for (int i = 0; i < n; i++) {
		const double *p = u[first + (size_t)i * step];
		double r = 1 / p[0], vel = p[v] * r;
		double square = 0.5 * (p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) * r;

		flux[i][0] = p[v];
		second[i][0] = 0;
		for (int m = 1; m < 4; m++) {
			flux[i][m] = p[m] * vel;
			second[i][m] = p[m] * r;
		}
		flux[i][v] += 0.4 * (p[4] - square);
		second[i][v] *= 4.0 / 3;
		flux[i][4] = (1.4 * p[4] - 0.4 * square) * vel;
		second[i][4] = -0.96 * square * r + vel * vel / 6 + 1.96 * p[4] * r;
	}
	for (int i = 1; i < n - 1; i++)
		for (int m = 0; m < 5; m++) {
			size_t p = first + (size_t)i * step;
			double sum =
				d * (u[p + step][m] - 2 * u[p][m] + u[p - step][m]) +
				0.1 * t1 *
					(second[i + 1][m] - 2 * second[i][m] + second[i - 1][m]) -
				t2 * (flux[i + 1][m] - flux[i - 1][m]);
			double s = (i == 1 || i == n - 2 ? 5 : 6) * u[p][m];

			if (i > 1)
				s -= 4 * u[p - step][m];
			if (i > 2)
				s += u[p - 2 * step][m];
			if (i < n - 2)
				s -= 4 * u[p + step][m];
			if (i < n - 3)
				s += u[p + 2 * step][m];
			rhs[p][m] += sum - 0.25 * s;
		}
}

static void jacobians(const double *p, int v, struct block *f, struct block *w)
{
	double r = 1 / p[0], square = 0.5 * (p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) * r;
	double qs = square * r, sum = 0;

	memset(f, 0, sizeof(*f));
	memset(w, 0, sizeof(*w));
	f->m[0][v] = 1;
	for (int m = 1; m < 4; m++) {
		double k = (m == v ? 4.0 / 3 : 1) * 0.1;

		f->m[m][0] = -p[v] * p[m] * r * r;
		f->m[m][m] += p[v] * r;
		f->m[m][v] += p[m] * r;
		f->m[v][m] -= 0.4 * p[m] * r;
		f->m[4][m] = -0.4 * p[v] * p[m] * r * r;
		w->m[m][0] = -k * p[m] * r * r;
		w->m[m][m] = k * r;
		w->m[4][m] = (k - 0.196) * p[m] * r * r;
		sum += (k - 0.196) * p[m] * p[m] * r * r * r;
	}
	f->m[v][0] += 0.4 * qs;
	f->m[v][4] = 0.4;
	f->m[4][0] = (0.8 * square - 1.4 * p[4]) * p[v] * r * r;
	f->m[4][v] += 1.4 * p[4] * r - 0.4 * qs;
	f->m[4][4] = 1.4 * p[v] * r;
	w->m[4][0] = -sum - 0.196 * p[4] * r * r;
	w->m[4][4] = 0.196 * r;
}

/* c := b^-1 c, x := b^-1 x */
static void invert(struct block *b, struct block *c, double x[5])
{
	for (int p = 0; p < 5; p++) {
		double pivot = 1 / b->m[p][p];

		for (int m = p + 1; m < 5; m++)
			b->m[p][m] *= pivot;
		for (int m = 0; m < 5; m++)
			c->m[p][m] *= pivot;
		x[p] *= pivot;
		for (int q = 0; q < 5; q++) {
			double factor = b->m[q][p];

			if (q == p)
				continue;
			for (int m = p + 1; m < 5; m++)
				b->m[q][m] -= factor * b->m[p][m];
			for (int m = 0; m < 5; m++)
				c->m[q][m] -= factor * c->m[p][m];
			x[q] -= factor * x[p];
		}
	}
}

static void solve_line(size_t first, size_t step, int direction)
{
	static struct block f[MOST], w[MOST], a[MOST], b[MOST], c[MOST];
	double one = dt / (h * h), to = dt * 0.5 / h, d = one * pario_bt_second(direction);

	for (int i = 0; i < n; i++)
		jacobians(u[first + (size_t)i * step], direction + 1, &f[i], &w[i]);
	for (int i = 1; i < n - 1; i++)
		for (int r = 0; r < 5; r++)
			for (int s = 0; s < 5; s++) {
				double unit = r == s;

				a[i].m[r][s] =
					-to * f[i - 1].m[r][s] - one * w[i - 1].m[r][s] - d * unit;
				b[i].m[r][s] = unit + 2 * one * w[i].m[r][s] + 2 * d * unit;
				c[i].m[r][s] =
					to * f[i + 1].m[r][s] - one * w[i + 1].m[r][s] - d * unit;
			}
	for (int i = 1; i < n - 1; i++) {
		double *x = rhs[first + (size_t)i * step];

		for (int r = 0; r < 5 && i > 1; r++)
			for (int s = 0; s < 5; s++) {
				x[r] -= a[i].m[r][s] * rhs[first + (size_t)(i - 1) * step][s];
				for (int t = 0; t < 5; t++)
					b[i].m[r][t] -= a[i].m[r][s] * c[i - 1].m[s][t];
			}
		invert(&b[i], &c[i], x);
	}
	for (int i = n - 3; i > 0; i--)
		for (int r = 0; r < 5; r++)
			for (int s = 0; s < 5; s++)
				rhs[first + (size_t)i * step][r] -=
					c[i].m[r][s] * rhs[first + (size_t)(i + 1) * step][s];
}

static void lines(int direction, void (*work)(size_t first, size_t step, int direction))
{
	for (int q = 1; q < n - 1; q++)
		for (int p = 1; p < n - 1; p++)
			work(direction == 0   ? at(0, p, q)
			     : direction == 1 ? at(p, 0, q)
					      : at(p, q, 0),
			     direction == 0   ? 1
			     : direction == 1 ? (size_t)n
					      : (size_t)n * (size_t)n,
			     direction);
}

static void step(void)
{
	size_t values = 5 * at(0, 0, n);

	memcpy(rhs, forcing, values * sizeof(double));
	for (int d = 0; d < 3; d++)
		lines(d, add_line);
	for (size_t i = 0; i < values; i++)
		(*rhs)[i] *= dt;
	for (int d = 0; d < 3; d++)
		lines(d, solve_line);
	for (size_t i = 0; i < values; i++)
		(*u)[i] += (*rhs)[i];
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	char class = argc > 1 ? argv[1][0] : 'S';
	int steps = argc > 2 ? atoi(argv[2]) : pario_bt_steps(class);
	double seconds, xcr[5], xce[5];
	struct pario_bt_norms *norms;
	size_t bytes;

	n = pario_bt_points(class);
	if (n < 1 || n > MOST || steps < 1) {
		fprintf(stderr, "raw_bt: usage: raw_bt CLASS STEPS\n");
		return 2;
	}
	dt = pario_bt_dt(class);
	h = 1.0 / (n - 1);
	bytes = at(0, 0, n) * sizeof(*u);
	u = malloc(bytes);
	rhs = malloc(bytes);
	forcing = malloc(bytes);
	if (!u || !rhs || !forcing ||
	    pario_bt_norms_create(&norms, class, 0, (uint64_t)n, true, NULL) < 0) {
		fprintf(stderr, "raw_bt: no memory\n");
		return 3;
	}
	start();
	seconds = now();
	for (int i = 0; i < steps; i++)
		step();
	seconds = now() - seconds;
	for (int k = 0; k < n; k++)
		pario_bt_norms_plane(norms, u[at(0, 0, k)]);
	pario_bt_norms_sums(norms, xcr, xce);
	pario_bt_norms_finish(class, xcr, xce);
	printf("%.3f Gop/s  %.2f ns/point/step  xce %.13e\n",
	       pario_bt_operations(class) * steps / pario_bt_steps(class) / seconds * 1e-9,
	       seconds * 1e9 / ((n - 2.0) * (n - 2.0) * (n - 2.0) * steps), xce[0]);
	pario_bt_norms_free(norms);
	free(u);
	free(rhs);
	free(forcing);
	return 0;
}
