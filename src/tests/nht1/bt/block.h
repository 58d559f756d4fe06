/*
 * block: 5x5 block algebra on vectors of lines.
 *
 * Every value is a vector with one line per lane, so all of it is plain arithmetic without branches. Components
 * are ordered by the direction of the line: r density, a and b the transverse momenta, n the normal momentum, e
 * energy. In this order 7 of the 25 entries of each off-diagonal block are zero and two rows nearly so; all code
 * below is written for that structure.
 *
 * Included by kernel.c alone. WIDTH is the lines per vector: what the registers hold, never more.
 */
#ifndef PARIO_TESTS_NHT1_BT_BLOCK_H
#define PARIO_TESTS_NHT1_BT_BLOCK_H

#include <stddef.h>

#include "tests/nht1/bt/problem.h"

#ifndef WIDTH
#define WIDTH 2 /* what every 64-bit processor has */
#endif

typedef double vec __attribute__((vector_size(8 * WIDTH), may_alias));

#define INLINE static inline __attribute__((always_inline))

struct column {
	vec r, a, b, n, e;
};

/* Where the components of a point lie, relative to it, in doubles. */
struct where {
	size_t r, a, b, n, e;
};

/* What a direction's factor is made of; `to` has the sign of the walk along the line. */
struct factor {
	double one;    /* dt t1: of the viscous Jacobian */
	double to;     /* dt t2: of the inviscid one */
	double second; /* dt t1 D */
};

/* What a point's Jacobians bring to its own row (diagonal) and to the row after it (below, negated). */
struct jacobian {
	vec a1, aa, an, b1, bn, n1, na, nb, nn, e1, ea, eb, en, ee; /* below */
	vec da, db, dn, de, dtt, dnn, dea, deb, den, dee;	    /* diagonal */
};

/* What they bring to the row before it; entries equal to those below are taken from there. */
struct above {
	vec a1, aa, b1, n1, nn, e1, ea, eb, en, ee;
};

INLINE vec load(const double *p)
{
	return *(const vec *)p;
}

INLINE void store(double *p, vec x)
{
	*(vec *)p = x;
}

INLINE struct column load_point(const double *p, struct where w)
{
	return (struct column){ load(p + w.r), load(p + w.a), load(p + w.b), load(p + w.n),
				load(p + w.e) };
}

INLINE void store_point(double *p, struct where w, struct column c)
{
	store(p + w.r, c.r);
	store(p + w.a, c.a);
	store(p + w.b, c.b);
	store(p + w.n, c.n);
	store(p + w.e, c.e);
}

INLINE void jacobians(struct jacobian *j, struct above *c, struct column u, struct factor f)
{
	const double c2 = PARIO_BT_C2, c1 = PARIO_BT_C1, k = PARIO_BT_C3C4;
	const double k1 = k - PARIO_BT_C1345, k2 = 4.0 / 3 * k - PARIO_BT_C1345;
	vec r = 1.0 / u.r, va = u.a * r, vb = u.b * r, vn = u.n * r, e = u.e * r;
	vec q = va * va + vb * vb + vn * vn; /* twice qs */
	vec s = f.one * r, w = k * s, w43 = (4.0 / 3) * w, s1 = k1 * s;
	vec tn = f.to * vn, ta = f.to * va, tb = f.to * vb;
	vec fa1 = -tn * va, fb1 = -tn * vb, fn1 = (0.5 * c2 * f.to) * q - tn * vn;
	vec fe1 = (c2 * q - c1 * e) * tn;
	vec fen = (c1 * f.to) * e - (0.5 * c2 * f.to) * q - c2 * (tn * vn);
	vec pa = w * va, pb = w * vb, pn = w43 * vn; /* minus the first column of V */
	vec pea = s1 * va, peb = s1 * vb, pen = (k2 * s) * vn, pee = PARIO_BT_C1345 * s;
	vec pe = pea * va + peb * vb + pen * vn + pee * e;
	vec na = w + f.second, nn = w43 + f.second, ne = pee + f.second;
	vec fnn = (2 - c2) * tn, fee = c1 * tn;

	j->a1 = fa1 - pa;
	c->a1 = fa1 + pa;
	j->b1 = fb1 - pb;
	c->b1 = fb1 + pb;
	j->aa = tn + na;
	c->aa = tn - na;
	j->an = ta;
	j->bn = tb;
	j->n1 = fn1 - pn;
	c->n1 = fn1 + pn;
	j->na = -c2 * ta;
	j->nb = -c2 * tb;
	j->nn = fnn + nn;
	c->nn = fnn - nn;
	j->e1 = fe1 - pe;
	c->e1 = fe1 + pe;
	j->ea = c2 * fa1 + pea;
	c->ea = c2 * fa1 - pea;
	j->eb = c2 * fb1 + peb;
	c->eb = c2 * fb1 - peb;
	j->en = fen + pen;
	c->en = fen - pen;
	j->ee = fee + ne;
	c->ee = fee - ne;
	j->da = -2 * pa;
	j->db = -2 * pb;
	j->dn = -2 * pn;
	j->de = -2 * pe;
	j->dtt = 1 + 2 * na;
	j->dnn = 1 + 2 * nn;
	j->dea = 2 * pea;
	j->deb = 2 * peb;
	j->den = 2 * pen;
	j->dee = 1 + 2 * ne;
}

/* y + below * x. One product after the other, each joined with its addition; what is known last comes last. */
INLINE struct column plus_below(struct column y, const struct jacobian *j, struct factor f,
				struct column x)
{
	y.n += (PARIO_BT_C2 * f.to) * x.e;
	y.e += j->ee * x.e;
	y.r += f.to * x.n;
	y.a += j->an * x.n;
	y.b += j->bn * x.n;
	y.n += j->nn * x.n;
	y.e += j->en * x.n;
	y.b += j->aa * x.b;
	y.n += j->nb * x.b;
	y.e += j->eb * x.b;
	y.a += j->aa * x.a;
	y.n += j->na * x.a;
	y.e += j->ea * x.a;
	y.r += f.second * x.r;
	y.a += j->a1 * x.r;
	y.b += j->b1 * x.r;
	y.n += j->n1 * x.r;
	y.e += j->e1 * x.r;
	return y;
}

/* Crout's factors of a block: lower triangle with the inverses of its diagonal, unit upper triangle. */
struct lu {
	vec p1, p2, p3, p4, p5;
	vec l21, l31, l41, l51, l32, l42, l52, l43, l53, l54;
	vec u12, u13, u14, u15, u23, u24, u25, u34, u35, u45;
};

/*
 * Left-looking: each column is formed right before it is factorised, so that the multiplications of the next
 * columns run while divisions are in flight. Pivots come in pairs, the second as first / (determinant of both), so
 * that their two divisions do not wait for each other. before[]: C' of the previous point.
 */
INLINE struct lu factorise(const struct jacobian *below, const struct jacobian *at, struct factor f,
			   const struct column before[5])
{
	const vec zero = { 0 };
	struct column c, d;
	struct lu m;

	c = plus_below((struct column){ zero + (1 + 2 * f.second), at->da, at->db, at->dn, at->de },
		       below, f, before[0]);
	m.p1 = 1.0 / c.r;
	m.l21 = c.a;
	m.l31 = c.b;
	m.l41 = c.n;
	m.l51 = c.e;
	d = plus_below((struct column){ zero, at->dtt, zero, zero, at->dea }, below, f, before[1]);
	m.p2 = c.r / (c.r * d.a - c.a * d.r);
	c = plus_below((struct column){ zero, zero, at->dtt, zero, at->deb }, below, f, before[2]);
	m.u12 = d.r * m.p1;
	m.l32 = d.b - m.l31 * m.u12;
	m.l42 = d.n - m.l41 * m.u12;
	m.l52 = d.e - m.l51 * m.u12;
	m.u13 = c.r * m.p1;
	m.u23 = (c.a - m.l21 * m.u13) * m.p2;
	c.b = c.b - m.l31 * m.u13 - m.l32 * m.u23;
	m.p3 = 1.0 / c.b;
	m.l43 = c.n - m.l41 * m.u13 - m.l42 * m.u23;
	m.l53 = c.e - m.l51 * m.u13 - m.l52 * m.u23;
	d = plus_below((struct column){ zero, zero, zero, at->dnn, at->den }, below, f, before[3]);
	m.u14 = d.r * m.p1;
	m.u24 = (d.a - m.l21 * m.u14) * m.p2;
	d.b = d.b - m.l31 * m.u14 - m.l32 * m.u24;
	d.n = d.n - m.l41 * m.u14 - m.l42 * m.u24;
	m.p4 = c.b / (c.b * d.n - m.l43 * d.b);
	c = plus_below((struct column){ zero, zero, zero, zero, at->dee }, below, f, before[4]);
	m.u34 = d.b * m.p3;
	m.l54 = d.e - m.l51 * m.u14 - m.l52 * m.u24 - m.l53 * m.u34;
	m.u15 = c.r * m.p1;
	m.u25 = (c.a - m.l21 * m.u15) * m.p2;
	m.u35 = (c.b - m.l31 * m.u15 - m.l32 * m.u25) * m.p3;
	m.u45 = (c.n - m.l41 * m.u15 - m.l42 * m.u25 - m.l43 * m.u35) * m.p4;
	m.p5 = 1.0 / (c.e - m.l51 * m.u15 - m.l52 * m.u25 - m.l53 * m.u35 - m.l54 * m.u45);
	return m;
}

/* Three right-hand sides side by side: what one waits for, the others fill. */
INLINE void back(const struct lu *m, struct column *x, struct column *y, struct column *z)
{
#define BACK(to, factor, from)        \
	x->to -= m->factor * x->from; \
	y->to -= m->factor * y->from; \
	z->to -= m->factor * z->from
	BACK(n, u45, e);
	BACK(b, u35, e);
	BACK(a, u25, e);
	BACK(r, u15, e);
	BACK(b, u34, n);
	BACK(a, u24, n);
	BACK(r, u14, n);
	BACK(a, u23, b);
	BACK(r, u13, b);
	BACK(r, u12, a);
#undef BACK
}

INLINE void forward(const struct lu *m, struct column *x, struct column *y, struct column *z)
{
#define SCALE(to, pivot)   \
	x->to *= m->pivot; \
	y->to *= m->pivot; \
	z->to *= m->pivot
#define DOWN(to, factor, from)        \
	x->to -= m->factor * x->from; \
	y->to -= m->factor * y->from; \
	z->to -= m->factor * z->from
	SCALE(r, p1);
	DOWN(a, l21, r);
	DOWN(b, l31, r);
	DOWN(n, l41, r);
	DOWN(e, l51, r);
	SCALE(a, p2);
	DOWN(b, l32, a);
	DOWN(n, l42, a);
	DOWN(e, l52, a);
	SCALE(b, p3);
	DOWN(n, l43, b);
	DOWN(e, l53, b);
	SCALE(n, p4);
	DOWN(e, l54, n);
	SCALE(e, p5);
#undef SCALE
#undef DOWN
}

/*
 * C' and rhs': the inverse of the block times `above`, whose second, third and fifth columns begin with zeros, and
 * times y.
 */
INLINE void solve(const struct lu *m, const struct above *c, const struct jacobian *j,
		  struct factor f, struct column y, struct column out[6])
{
	const vec zero = { 0 };
	struct column r = { zero - f.second, c->a1, c->b1, c->n1, c->e1 };
	struct column n = { zero + f.to, j->an, j->bn, c->nn, c->en };
	struct column a = { zero, c->aa * m->p2, zero, j->na, c->ea };
	struct column b = { zero, zero, c->aa * m->p3, j->nb, c->eb };
	struct column e = { zero, zero, zero, (PARIO_BT_C2 * f.to) * m->p4, c->ee };

	forward(m, &r, &n, &y);
	back(m, &r, &n, &y);
	out[0] = r;
	out[3] = n;
	out[5] = y;
	a.b = -(m->l32 * a.a) * m->p3;
	a.n -= m->l42 * a.a;
	b.n -= m->l43 * b.b;
	e.e -= m->l54 * e.n;
	a.e -= m->l52 * a.a;
	b.e -= m->l53 * b.b;
	b.n *= m->p4;
	a.n -= m->l43 * a.b;
	e.e *= m->p5;
	a.e -= m->l53 * a.b;
	b.e -= m->l54 * b.n;
	a.n *= m->p4;
	b.e *= m->p5;
	a.e -= m->l54 * a.n;
	a.e *= m->p5;
	back(m, &a, &b, &e);
	out[1] = a;
	out[2] = b;
	out[4] = e;
}

#endif
