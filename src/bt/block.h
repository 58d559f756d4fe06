/*
 * block: 5x5 block algebra on vectors of lines (section 5 of the specification).
 *
 * Every value is a vector with one line per lane, so all of it is plain arithmetic without branches. Components
 * are ordered by the direction of the line: r density, a and b the transverse momenta, n the normal momentum, e
 * energy. In this order 7 of the 25 entries of each off-diagonal block are zero and two rows nearly so; all code
 * below is written for that structure.
 *
 * Included by kernel.c alone, which defines WIDTH.
 */
#ifndef PARIO_BT_BLOCK_H
#define PARIO_BT_BLOCK_H

#include <stddef.h>

#include "bt/problem.h"

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
 * column run while the division of this one's pivot is in flight. before[]: C' of the previous point.
 */
INLINE struct lu factorise(const struct jacobian *below, const struct jacobian *at, struct factor f,
			   const struct column before[5])
{
	const vec zero = { 0 };
	struct column c;
	struct lu m;

	c = plus_below((struct column){ zero + (1 + 2 * f.second), at->da, at->db, at->dn, at->de },
		       below, f, before[0]);
	m.p1 = 1.0 / c.r;
	m.l21 = c.a;
	m.l31 = c.b;
	m.l41 = c.n;
	m.l51 = c.e;
	c = plus_below((struct column){ zero, at->dtt, zero, zero, at->dea }, below, f, before[1]);
	m.u12 = c.r * m.p1;
	m.p2 = 1.0 / (c.a - m.l21 * m.u12);
	m.l32 = c.b - m.l31 * m.u12;
	m.l42 = c.n - m.l41 * m.u12;
	m.l52 = c.e - m.l51 * m.u12;
	c = plus_below((struct column){ zero, zero, at->dtt, zero, at->deb }, below, f, before[2]);
	m.u13 = c.r * m.p1;
	m.u23 = (c.a - m.l21 * m.u13) * m.p2;
	m.p3 = 1.0 / (c.b - m.l31 * m.u13 - m.l32 * m.u23);
	m.l43 = c.n - m.l41 * m.u13 - m.l42 * m.u23;
	m.l53 = c.e - m.l51 * m.u13 - m.l52 * m.u23;
	c = plus_below((struct column){ zero, zero, zero, at->dnn, at->den }, below, f, before[3]);
	m.u14 = c.r * m.p1;
	m.u24 = (c.a - m.l21 * m.u14) * m.p2;
	m.u34 = (c.b - m.l31 * m.u14 - m.l32 * m.u24) * m.p3;
	m.p4 = 1.0 / (c.n - m.l41 * m.u14 - m.l42 * m.u24 - m.l43 * m.u34);
	m.l54 = c.e - m.l51 * m.u14 - m.l52 * m.u24 - m.l53 * m.u34;
	c = plus_below((struct column){ zero, zero, zero, zero, at->dee }, below, f, before[4]);
	m.u15 = c.r * m.p1;
	m.u25 = (c.a - m.l21 * m.u15) * m.p2;
	m.u35 = (c.b - m.l31 * m.u15 - m.l32 * m.u25) * m.p3;
	m.u45 = (c.n - m.l41 * m.u15 - m.l42 * m.u25 - m.l43 * m.u35) * m.p4;
	m.p5 = 1.0 / (c.e - m.l51 * m.u15 - m.l52 * m.u25 - m.l53 * m.u35 - m.l54 * m.u45);
	return m;
}

INLINE struct column back(const struct lu *m, struct column y)
{
	y.n -= m->u45 * y.e;
	y.b -= m->u35 * y.e;
	y.a -= m->u25 * y.e;
	y.r -= m->u15 * y.e;
	y.b -= m->u34 * y.n;
	y.a -= m->u24 * y.n;
	y.r -= m->u14 * y.n;
	y.a -= m->u23 * y.b;
	y.r -= m->u13 * y.b;
	y.r -= m->u12 * y.a;
	return y;
}

INLINE struct column solve(const struct lu *m, struct column y)
{
	y.r *= m->p1;
	y.a = (y.a - m->l21 * y.r) * m->p2;
	y.b = (y.b - m->l31 * y.r - m->l32 * y.a) * m->p3;
	y.n = (y.n - m->l41 * y.r - m->l42 * y.a - m->l43 * y.b) * m->p4;
	y.e = (y.e - m->l51 * y.r - m->l52 * y.a - m->l53 * y.b - m->l54 * y.n) * m->p5;
	return back(m, y);
}

/* C' = inverse of the block times `above`, whose second, third and fifth columns begin with zeros. */
INLINE void solve_above(const struct lu *m, const struct above *c, const struct jacobian *j,
			struct factor f, struct column out[5])
{
	const vec zero = { 0 };
	struct column y;

	out[0] = solve(m, (struct column){ zero - f.second, c->a1, c->b1, c->n1, c->e1 });
	y.r = zero;
	y.a = c->aa * m->p2;
	y.b = -(m->l32 * y.a) * m->p3;
	y.n = (j->na - m->l42 * y.a - m->l43 * y.b) * m->p4;
	y.e = (c->ea - m->l52 * y.a - m->l53 * y.b - m->l54 * y.n) * m->p5;
	out[1] = back(m, y);
	y.r = y.a = zero;
	y.b = c->aa * m->p3;
	y.n = (j->nb - m->l43 * y.b) * m->p4;
	y.e = (c->eb - m->l53 * y.b - m->l54 * y.n) * m->p5;
	out[2] = back(m, y);
	out[3] = solve(m, (struct column){ zero + f.to, j->an, j->bn, c->nn, c->en });
	y.r = y.a = y.b = zero;
	y.n = (PARIO_BT_C2 * f.to) * m->p4;
	y.e = (c->ee - m->l54 * y.n) * m->p5;
	out[4] = back(m, y);
}

#endif
