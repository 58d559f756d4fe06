/*
 * kernel: right-hand side and the three factors, a batch of lines at a time.
 *
 * Built several times; see kernel.h. KERNEL is the name of the table this build exports, WIDTH the lines per
 * vector. One plane at a time the y and x parts of the right-hand side, the x factor and the y factor are done,
 * while the plane is in the cache; then for each batch of z lines the z factor, the addition to u, and the z part
 * of the next right-hand side. Per line only C' and rhs' are kept, never a Jacobian.
 */
#include "tests/nht1/bt/kernel.h"

#ifndef KERNEL
#define KERNEL	    pario_bt_kernel_portable
#define KERNEL_NAME "portable"
#endif

#include "tests/nht1/bt/block.h"

enum { STATE = PARIO_BT_STATE * WIDTH };

/* ---- right-hand side ---- */

/* Weights of L along a line: k q2, t2 q1, and of the five-point stencil that joins D t1 q2 and dissipation. */
struct operator
{
	double k, to, near, far, at;
};

static struct operator operator_of(const struct pario_bt_grid *g, int direction)
{
	double inverse = g->n - 1, t1 = inverse * inverse, d = pario_bt_second(direction) * t1;

	return (struct operator){ .k = PARIO_BT_C3C4 * t1,
				  .to = inverse / 2,
				  .near = d + 4 * PARIO_BT_DSSP,
				  .far = -PARIO_BT_DSSP,
				  .at = -2 * d - 6 * PARIO_BT_DSSP };
}

/* What a point brings to its lower neighbour, itself and its upper neighbour through fluxes and viscosity. */
struct share {
	struct column down, self, up;
};

INLINE struct share share_of(struct column u, struct operator o)
{
	const double c1 = PARIO_BT_C1, c2 = PARIO_BT_C2;
	vec r = 1.0 / u.r, va = u.a * r, vb = u.b * r, vn = u.n * r;
	vec ka = o.k * va, kb = o.k * vb, kn = (4.0 / 3 * o.k) * vn;
	vec square = 0.5 * (u.a * va + u.b * vb + u.n * vn), tn = o.to * vn;
	vec ke = r * ((1.96 * o.k) * u.e - (0.96 * o.k) * square) + (o.k / 6) * (vn * vn);
	vec fr = o.to * u.n, fa = u.a * tn, fb = u.b * tn;
	vec fn = u.n * tn + (c2 * o.to) * (u.e - square), fe = (c1 * u.e - c2 * square) * tn;

	return (struct share){ .down = { -fr, ka - fa, kb - fb, kn - fn, ke - fe },
			       .self = { -fr, -2 * ka, -2 * kb, -2 * kn, -2 * ke },
			       .up = { fr, ka + fa, kb + fb, kn + fn, ke + fe } };
}

/* The stencil at index i of n: points on the boundary enter q2 but never the dissipation. */
INLINE vec stencil(const double *p, ptrdiff_t step, struct operator o, int i, int n)
{
	vec sum = o.at * load(p) + o.near * (load(p - step) + load(p + step));

	if (__builtin_expect(i < 3 || i > n - 4, 0)) {
		const double s = PARIO_BT_DSSP;

		if (i == 1)
			sum += s * load(p) - 4 * s * load(p - step);
		if (i == n - 2)
			sum += s * load(p) - 4 * s * load(p + step);
		if (i > 2)
			sum += o.far * load(p - 2 * step);
		if (i < n - 3)
			sum += o.far * load(p + 2 * step);
		return sum;
	}
	return sum + o.far * (load(p - 2 * step) + load(p + 2 * step));
}

/*
 * out = scale * (in + L(u)) at the points first .. first+count-1 of a line of n; u, in and out point at the point
 * `first`.
 */
INLINE void line_operator(const double *p, ptrdiff_t step, struct where w, struct operator o, int n,
			  int first, int count, const double *in, double *out, ptrdiff_t out_step,
			  double scale)
{
	struct share s = share_of(load_point(p - step, w), o), next;
	struct column up = s.up, part;

	s = share_of(load_point(p, w), o);
	part = (struct column){ up.r, up.a + s.self.a, up.b + s.self.b, up.n + s.self.n,
				up.e + s.self.e };
	up = s.up;
	for (int i = first; i < first + count; i++, p += step, in += out_step, out += out_step) {
		next = share_of(load_point(p + step, w), o);
		store(out + w.r, scale * (load(in + w.r) + part.r + next.down.r +
					  stencil(p + w.r, step, o, i, n)));
		store(out + w.a, scale * (load(in + w.a) + part.a + next.down.a +
					  stencil(p + w.a, step, o, i, n)));
		store(out + w.b, scale * (load(in + w.b) + part.b + next.down.b +
					  stencil(p + w.b, step, o, i, n)));
		store(out + w.n, scale * (load(in + w.n) + part.n + next.down.n +
					  stencil(p + w.n, step, o, i, n)));
		store(out + w.e, scale * (load(in + w.e) + part.e + next.down.e +
					  stencil(p + w.e, step, o, i, n)));
		part = (struct column){ up.r, up.a + next.self.a, up.b + next.self.b,
					up.n + next.self.n, up.e + next.self.e };
		up = next.up;
	}
}

/* ---- factors ---- */

static struct factor factor_of(const struct pario_bt_grid *g, int direction, int sign)
{
	double inverse = g->n - 1;

	return (struct factor){ .one = g->dt * inverse * inverse,
				.to = g->dt * inverse / 2 * sign,
				.second = g->dt * inverse * inverse * pario_bt_second(direction) };
}

/*
 * Calls for the components of one batch of one point, in as many cache lines as they take, and moves on. What will be
 * written is called for as this core's own, where the processor can: another core may have written it last, and a
 * second journey to take it away from that one would be waited for.
 */
INLINE void touch(const double **p, ptrdiff_t step, int write)
{
	if (!*p)
		return;
#pragma GCC unroll 5
	for (int i = 0; i < 5 * WIDTH; i += PARIO_BT_UNIT) {
		if (write)
			__builtin_prefetch(*p + i, 1);
		else
			__builtin_prefetch(*p + i);
	}
	*p += step;
}

/* What is used soon and shall be on its way: three places, and how far they move from point to point. */
struct ahead {
	const double *read, *rhs, *u; /* NULL for nothing; rhs and u are written */
	ptrdiff_t step;
};

/*
 * Forward: u and rhs point at the point before the first. work[0] holds the state there; that of point p goes to
 * work[p].
 */
INLINE void eliminate_line(const double *u, const double *rhs, ptrdiff_t step, struct where w,
			   struct factor f, int count, double *work, struct ahead ahead)
{
	struct jacobian ring[2], *below = &ring[0], *at = &ring[1], *next;
	struct above c;

	jacobians(below, &c, load_point(u, w), f);
	jacobians(at, &c, load_point(u + step, w), f);
	for (int p = 1; p <= count; p++) {
		const struct column *before = (const struct column *)work;
		struct column *state, y;
		struct lu m;

		u += step;
		rhs += step;
		work += STATE;
		state = (struct column *)work;
		touch(&ahead.read, ahead.step, 0);
		m = factorise(below, at, f, before);
		touch(&ahead.rhs, ahead.step, 1);
		y = plus_below(load_point(rhs, w), below, f, before[5]);
		next = below;
		jacobians(next, &c, load_point(u + step, w), f);
		touch(&ahead.u, ahead.step, 1);
		solve(&m, &c, next, f, y, state);
		below = at;
		at = next;
	}
}

INLINE struct column minus(struct column y, struct column c, vec x)
{
	y.r -= c.r * x;
	y.a -= c.a * x;
	y.b -= c.b * x;
	y.n -= c.n * x;
	y.e -= c.e * x;
	return y;
}

/* state's rhs' minus its C' times x */
INLINE struct column minus_above(const struct column *state, struct column x)
{
	struct column y = minus(state[5], state[0], x.r);

	y = minus(y, state[1], x.a);
	y = minus(y, state[2], x.b);
	y = minus(y, state[3], x.n);
	return minus(y, state[4], x.e);
}

/* Backward: the solution replaces `out` or is added to it; out points at the point before the first. */
INLINE struct column substitute_line(double *out, ptrdiff_t step, struct where w, int count,
				     const double *work, struct column x, int add)
{
	for (int p = count; p >= 1; p--) {
		double *at = out + p * step;

		x = minus_above((const struct column *)(work + (size_t)p * STATE), x);
		if (add) {
			struct column u = load_point(at, w);

			u = (struct column){ u.r + x.r, u.a + x.a, u.b + x.b, u.n + x.n,
					     u.e + x.e };
			store_point(at, w, u);
		} else {
			store_point(at, w, x);
		}
	}
	return x;
}

INLINE void clear_state(double *work)
{
	for (int i = 0; i < STATE; i++)
		work[i] = 0;
}

/* ---- transposition ---- */

#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
typedef long long mask __attribute__((vector_size(8 * WIDTH)));
#define SHUFFLE(x, y, ...) __builtin_shuffle(x, y, (mask){ __VA_ARGS__ })
#endif

/* Exchanges the upper half of each pair of blocks of `half` lanes of x with the lower half of y's. */
INLINE void exchange(vec *x, vec *y, int half)
{
	vec s = *x, t = *y;

#if WIDTH == 8
	if (half == 4) {
		*x = SHUFFLE(s, t, 0, 1, 2, 3, 8, 9, 10, 11);
		*y = SHUFFLE(s, t, 4, 5, 6, 7, 12, 13, 14, 15);
	} else if (half == 2) {
		*x = SHUFFLE(s, t, 0, 1, 8, 9, 4, 5, 12, 13);
		*y = SHUFFLE(s, t, 2, 3, 10, 11, 6, 7, 14, 15);
	} else {
		*x = SHUFFLE(s, t, 0, 8, 2, 10, 4, 12, 6, 14);
		*y = SHUFFLE(s, t, 1, 9, 3, 11, 5, 13, 7, 15);
	}
#elif WIDTH == 4
	if (half == 2) {
		*x = SHUFFLE(s, t, 0, 1, 4, 5);
		*y = SHUFFLE(s, t, 2, 3, 6, 7);
	} else {
		*x = SHUFFLE(s, t, 0, 4, 2, 6);
		*y = SHUFFLE(s, t, 1, 5, 3, 7);
	}
#else
	(void)half;
	*x = SHUFFLE(s, t, 0, 2);
	*y = SHUFFLE(s, t, 1, 3);
#endif
}

INLINE void transpose(vec x[WIDTH])
{
#pragma GCC unroll 4
	for (int half = WIDTH / 2; half >= 1; half /= 2)
#pragma GCC unroll 8
		for (int i = 0; i < WIDTH; i++)
			if (!(i & half))
				exchange(&x[i], &x[i + half], half);
}

/* WIDTH rows of i, one per line, to points [i][m][lane], and back. */
INLINE void gather(double *const rows[WIDTH], size_t row, double *to)
{
	for (size_t i = 0; i < row; i += WIDTH)
		for (size_t m = 0; m < 5; m++) {
			vec x[WIDTH];

#pragma GCC unroll 8
			for (int l = 0; l < WIDTH; l++)
				x[l] = load(rows[l] + pario_bt_place(m, i));
			transpose(x);
#pragma GCC unroll 8
			for (int l = 0; l < WIDTH; l++)
				store(to + ((i + (size_t)l) * 5 + m) * WIDTH, x[l]);
		}
}

INLINE void scatter(double *const rows[WIDTH], size_t row, const double *from, int lines)
{
	for (size_t i = 0; i < row; i += WIDTH)
		for (size_t m = 0; m < 5; m++) {
			vec x[WIDTH];

#pragma GCC unroll 8
			for (int l = 0; l < WIDTH; l++)
				x[l] = load(from + ((i + (size_t)l) * 5 + m) * WIDTH);
			transpose(x);
#pragma GCC unroll 8
			for (int l = 0; l < WIDTH; l++)
				if (l < lines)
					store(rows[l] + pario_bt_place(m, i), x[l]);
		}
}

/* ---- the table ---- */

static struct where where_of(size_t distance, int direction)
{
	return (struct where){ .r = 0,
			       .a = (direction == 0 ? 2 : 1) * distance,
			       .b = (direction == 2 ? 2 : 3) * distance,
			       .n = (size_t)(direction + 1) * distance,
			       .e = 4 * distance };
}

static double *point(const struct pario_bt_grid *g, double *field, int k, int j, int i)
{
	return field + (size_t)(k - g->k0) * g->plane + (size_t)j * g->line +
	       pario_bt_place(0, (size_t)i);
}

/* The states of one line, and two fields of one batch of x lines. */
static size_t scratch(const struct pario_bt_grid *g)
{
	return (size_t)g->n * STATE + 2 * g->row * 5 * WIDTH;
}

/* The y part of the right-hand side, rows j .. end-1. */
static void y_operator(const struct pario_bt_grid *g, int k, int j, int end)
{
	const struct operator o = operator_of(g, 1);
	const struct where w = where_of(PARIO_BT_UNIT, 1);

	for (int i = 0; i < g->n; i += WIDTH) {
		double *rhs = point(g, g->rhs, k, j, i);

		line_operator(point(g, g->u, k, j, i), (ptrdiff_t)g->line, w, o, g->n, j, end - j,
			      rhs, rhs, (ptrdiff_t)g->line, 1);
	}
}

/* A function of its own, so that nothing else competes for registers. */
static __attribute__((noinline)) void x_eliminate(const struct pario_bt_grid *g, const double *u,
						  const double *rhs, double *work,
						  struct ahead ahead)
{
	eliminate_line(u, rhs, 5 * WIDTH, where_of(WIDTH, 0), factor_of(g, 0, 1), g->n - 2, work,
		       ahead);
}

/* Lines from `end` on are computed on the boundary row and not stored: they may be another rank's. */
static void x_lines(const struct pario_bt_grid *g, int k, int j, int end, struct ahead ahead,
		    double *work)
{
	const struct where w = where_of(WIDTH, 0);
	const size_t at = 5 * WIDTH;
	double *u = work + (size_t)g->n * STATE, *r = u + g->row * at, *rows[WIDTH], *rhs[WIDTH];
	struct column zero = { 0 };

	for (int l = 0; l < WIDTH; l++) {
		rows[l] = point(g, g->u, k, j + l < end ? j + l : g->n - 1, 0);
		rhs[l] = point(g, g->rhs, k, j + l < end ? j + l : g->n - 1, 0);
	}
	gather(rows, g->row, u);
	gather(rhs, g->row, r);
	line_operator(u + at, (ptrdiff_t)at, w, operator_of(g, 0), g->n, 1, g->n - 2, r + at,
		      r + at, (ptrdiff_t)at, g->dt);
	clear_state(work);
	x_eliminate(g, u, r, work, ahead);
	substitute_line(r, (ptrdiff_t)at, w, g->n - 2, work, zero, 0);
	/* Zero on the boundary makes the y and z factors leave the boundary and the padding alone. */
	store_point(r, w, zero);
	for (size_t i = (size_t)g->n - 1; i < g->row; i++)
		store_point(r + i * at, w, zero);
	scatter(rhs, g->row, r, end - j);
}

/*
 * A few rows at a time go through both parts while they are in the nearest cache, and call for the rows after them:
 * a rank's first plane, which nothing called for, then costs little more than the others.
 */
static void across(const struct pario_bt_grid *g, int k, int j, int end, int next, double *work)
{
	struct ahead ahead = { .step = 5 * WIDTH };

	for (int stop; j < end; j = stop) {
		stop = j + PARIO_BT_UNIT < end ? j + PARIO_BT_UNIT : end;
		y_operator(g, k, j, stop);
		for (int l = j; l < stop; l += WIDTH) {
			ptrdiff_t done = (l - j) / WIDTH * (g->n - 2) * ahead.step;

			ahead.read = stop < next ? point(g, g->u, k, stop, 0) + done : NULL;
			ahead.rhs = stop < next ? point(g, g->rhs, k, stop, 0) + done : NULL;
			x_lines(g, k, l, stop, ahead, work);
		}
	}
}

static void y_lines(const struct pario_bt_grid *g, int k, int i, struct ahead ahead, double *work)
{
	const struct where w = where_of(PARIO_BT_UNIT, 1);
	double *rhs = point(g, g->rhs, k, 0, i);
	struct column zero = { 0 };

	clear_state(work);
	eliminate_line(point(g, g->u, k, 0, i), rhs, (ptrdiff_t)g->line, w, factor_of(g, 1, 1),
		       g->n - 2, work, ahead);
	substitute_line(rhs, (ptrdiff_t)g->line, w, g->n - 2, work, zero, 0);
}

/* The first batch calls for the first rows of the next plane; across() then calls for the others in time. */
static void along(const struct pario_bt_grid *g, int k, int from, int to, int next, double *work)
{
	struct ahead ahead = { .step = 5 * WIDTH };

	if (next >= 0) {
		ahead.read = point(g, g->u, next, 1, 0);
		ahead.rhs = point(g, g->rhs, next, 1, 0);
	}
	for (int b = from; b < to; b++) {
		y_lines(g, k, b * WIDTH, ahead, work);
		ahead.read = ahead.rhs = NULL;
	}
}

/* Each batch of a group of eight calls for its share of the next group, of this row or the next row. */
static void eliminate(const struct pario_bt_grid *g, struct pario_bt_stretch z, int j, int i,
		      double *work)
{
	double *u = point(g, g->u, z.before, j, i), *rhs = point(g, g->rhs, z.before, j, i);
	ptrdiff_t step = z.step * (ptrdiff_t)g->plane, lane = i % PARIO_BT_UNIT;
	ptrdiff_t share = step - lane + 5 * (PARIO_BT_UNIT + lane);

	eliminate_line(u, rhs, step, where_of(PARIO_BT_UNIT, 2), factor_of(g, 2, z.step), z.count,
		       work,
		       (struct ahead){ .u = u + share,
				       .rhs = rhs + share,
				       .read = g->forcing + (u - g->u) + share,
				       .step = step });
}

static void substitute(const struct pario_bt_grid *g, struct pario_bt_stretch z, int j, int i,
		       const double *work, double *x)
{
	struct column *last = (struct column *)x;

	*last = substitute_line(point(g, g->u, z.before, j, i), z.step * (ptrdiff_t)g->plane,
				where_of(PARIO_BT_UNIT, 2), z.count, work, *last, 1);
}

static void derive(const struct pario_bt_grid *g, int k, int count, int j, int i)
{
	line_operator(point(g, g->u, k, j, i), (ptrdiff_t)g->plane, where_of(PARIO_BT_UNIT, 2),
		      operator_of(g, 2), g->n, k, count, point(g, g->forcing, k, j, i),
		      point(g, g->rhs, k, j, i), (ptrdiff_t)g->plane, 1);
}

const struct pario_bt_kernel KERNEL = {
	.name = KERNEL_NAME,
	.width = WIDTH,
	.scratch = scratch,
	.across = across,
	.along = along,
	.eliminate = eliminate,
	.substitute = substitute,
	.derive = derive,
};
