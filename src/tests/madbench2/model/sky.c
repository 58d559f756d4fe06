/*
 * sky: erand48 continues any state given to it, so that no other user of drand48 disturbs the pixels.
 */
#include "tests/madbench2/model/sky.h"

#include <math.h>
#include <stdlib.h>

enum { MULTIPOLES = 10 }; /* in a bin */

#define PI 3.14159265358979323846

void pario_mad_pixels(double (*pixels)[3], uint64_t count)
{
	unsigned short state[3] = { 0x330E, 0, 0 }; /* as srand48(0) leaves it */

	for (uint64_t i = 0; i < count; i++) {
		double ra = 2 * PI * erand48(state), dec = PI * (erand48(state) - 0.5);

		pixels[i][0] = cos(dec) * cos(ra);
		pixels[i][1] = cos(dec) * sin(ra);
		pixels[i][2] = sin(dec);
	}
}

double pario_mad_signal(double x, uint64_t bin, double *before, double *last)
{
	double sum = 0;

	for (uint64_t i = 1; i <= MULTIPOLES; i++) {
		double l = (double)(MULTIPOLES * bin + i);
		double next = 2 * x * *last - *before - (x * *last - *before) / l;

		*before = *last;
		*last = next;
		sum += (2 * l + 1) * next;
	}
	return sum / (4 * PI);
}

double pario_mad_trace(uint64_t pixels, uint64_t bins)
{
	double terms = (double)(MULTIPOLES * bins + 1);

	return (double)pixels * (terms * terms - 1) / (4 * PI);
}

int pario_mad_solve(size_t n, double *a, double *b)
{
	for (size_t j = 0; j < n; j++) {
		for (size_t k = 0; k < j; k++)
			a[j * n + j] -= a[j * n + k] * a[j * n + k];
		if (!(a[j * n + j] > 0))
			return -1;
		a[j * n + j] = sqrt(a[j * n + j]);
		for (size_t i = j + 1; i < n; i++) {
			for (size_t k = 0; k < j; k++)
				a[i * n + j] -= a[i * n + k] * a[j * n + k];
			a[i * n + j] /= a[j * n + j];
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			b[i] -= a[i * n + k] * b[k];
		b[i] /= a[i * n + i];
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			b[i] -= a[k * n + i] * b[k];
		b[i] /= a[i * n + i];
	}
	return 0;
}
