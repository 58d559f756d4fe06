/*
 * units: strict reading, and writing for people. Neither depends on the locale.
 */
#include "base/units.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char size_letters[] = "kmgtp";

/* Power of 1024 that the suffix stands for; -1 when it is not a suffix. */
static int suffix_power(const char *s)
{
	const char *letter;
	char lower;

	if (!*s)
		return 0;
	lower = (char)(*s | 0x20);
	letter = strchr(size_letters, lower);
	if (!letter || !*letter)
		return -1;
	s++;
	if ((s[0] == 'i' || s[0] == 'I') && (s[1] == 'b' || s[1] == 'B'))
		s++;
	if (*s == 'b' || *s == 'B')
		s++;
	return *s ? -1 : (int)(letter - size_letters) + 1;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct decimal {
	uint64_t digits;   /* all digits as one number, without trailing zeros after the point */
	unsigned fraction; /* how many of them stand after the point */
	bool huge;	   /* more digits than fit */
};

/* Reads digits, and a point with digits; returns where it stopped, NULL when nothing fits. */
static const char *read_decimal(const char *s, struct decimal *d)
{
	unsigned zeros = 0;

	*d = (struct decimal){ 0 };
	if (!is_digit(*s))
		return NULL;
	for (; is_digit(*s); s++)
		d->huge |= !pario_mul(d->digits, 10, &d->digits) ||
			   !pario_add(d->digits, (uint64_t)(*s - '0'), &d->digits);
	if (*s != '.')
		return s;
	if (!is_digit(*++s))
		return NULL;
	for (; is_digit(*s); s++) {
		/* zeros count only once another digit follows them */
		if (*s == '0') {
			zeros++;
			continue;
		}
		for (unsigned i = 0; i <= zeros && !d->huge; i++)
			d->huge |= !pario_mul(d->digits, 10, &d->digits);
		d->huge |= !pario_add(d->digits, (uint64_t)(*s - '0'), &d->digits);
		d->fraction += zeros + 1;
		zeros = 0;
	}
	return s;
}

bool pario_units_is_size(const char *text)
{
	struct decimal unused;
	const char *end = read_decimal(text, &unused);

	return end && suffix_power(end) >= 0;
}

#define SIZE_FORM                                                                          \
	"a whole number with an optional k, m, g, t or p (powers of 1024), such as 4096, " \
	"64k or 1.5m"

int pario_units_parse_size(const char *what, const char *text, uint64_t *bytes,
			   struct pario_err *err)
{
	struct decimal d;
	const char *end = read_decimal(text, &d);
	int power = end ? suffix_power(end) : -1;
	unsigned __int128 value;

	if (power < 0)
		return pario_err_set(err, PARIO_USAGE,
				     "%s does not take '%.80s'; write " SIZE_FORM ".", what, text);
	if (d.huge && !d.fraction)
		return pario_err_set(err, PARIO_USAGE,
				     "%s does not take '%.80s'; it must stay below 2^64.", what,
				     text);
	value = (unsigned __int128)d.digits << (10 * power);
	for (; d.fraction && !d.huge && value % 10 == 0; d.fraction--)
		value /= 10;
	if (d.huge || d.fraction)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s does not take '%.80s', which is not whole; write " SIZE_FORM ".", what,
			text);
	if (value > UINT64_MAX)
		return pario_err_set(err, PARIO_USAGE,
				     "%s does not take '%.80s'; it must stay below 2^64.", what,
				     text);
	*bytes = (uint64_t)value;
	return 0;
}

/* True for -12, 1.5, 2e-3; no hexadecimal, no nan, no blanks. */
bool pario_units_is_real(const char *s)
{
	struct decimal unused;

	s = read_decimal(*s == '-' ? s + 1 : s, &unused);
	if (!s)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		if (*s == '-' || *s == '+')
			s++;
		if (!is_digit(*s))
			return false;
		while (is_digit(*s))
			s++;
	}
	return !*s;
}

int pario_units_parse_real(const char *what, const char *text, double *value, struct pario_err *err)
{
	locale_t plain;
	double v;

	if (!pario_units_is_real(text))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s does not take '%.80s'; write a decimal number such as 0.5.", what,
			text);
	plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	if (!plain)
		return pario_err_memory(err, "reading %s", what);
	v = strtod_l(text, NULL, plain);
	freelocale(plain);
	if (!isfinite(v))
		return pario_err_set(err, PARIO_USAGE,
				     "%s does not take '%.80s'; the number is too large.", what,
				     text);
	*value = v;
	return 0;
}

/*
 * Appends v with the given decimals: digits in groups of three before the point, no zeros at the
 * end after it. v is finite and below 10^15. snprintf gives the digits; its separator, any bytes,
 * is skipped.
 */
static void append_fixed(char *buf, double v, int decimals)
{
	char digits[64];
	size_t whole = 0, out = strlen(buf);
	const char *c = digits;

	snprintf(digits, sizeof(digits), "%.*f", decimals, fabs(v));
	while (is_digit(digits[whole]))
		whole++;
	/* no minus before a zero */
	if (v < 0 && strpbrk(digits, "123456789"))
		buf[out++] = '-';
	for (size_t left = whole; left; left--) {
		buf[out++] = *c++;
		if (left > 1 && left % 3 == 1)
			buf[out++] = ' ';
	}
	while (*c && !is_digit(*c))
		c++;
	if (*c) {
		buf[out++] = '.';
		while (*c)
			buf[out++] = *c++;
		while (buf[out - 1] == '0')
			out--;
		if (buf[out - 1] == '.')
			out--;
	}
	buf[out] = '\0';
}

/*
 * v with only this many significant digits, so that 999.96 is seen as 1000 before a unit is
 * chosen.
 */
static double rounded(double v, int significant)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%.*e", significant - 1, v);
	return strtod(buf, NULL);
}

/* Decimals that leave this many significant digits. */
static int decimals_of(double v, int significant)
{
	int places = v == 0 ? 1 : (int)floor(log10(fabs(v))) + 1;

	return places >= significant ? 0 : significant - places;
}

static void append_number(char *buf, double v, int significant)
{
	double r;

	if (isnan(v)) {
		strcat(buf, "n/a");
		return;
	}
	if (isinf(v)) {
		strcat(buf, v < 0 ? "-inf" : "inf");
		return;
	}
	r = rounded(v, significant);
	if (fabs(r) >= 1e15 || (r != 0 && fabs(r) < 1e-6)) {
		int exponent = (int)floor(log10(fabs(r)));

		append_fixed(buf, rounded(r / pow(10, exponent), significant), significant - 1);
		sprintf(buf + strlen(buf), "e%d", exponent);
		return;
	}
	append_fixed(buf, v, decimals_of(r, significant));
}

char *pario_units_number(char *buf, double value)
{
	*buf = '\0';
	append_number(buf, value, 4);
	return buf;
}

char *pario_units_rate(char *buf, double mib_s)
{
	return strcat(pario_units_number(buf, mib_s), " MiB/s");
}

double pario_units_count_unit(double value, const char **name)
{
	static const struct {
		double from, unit;
		const char *name;
	} steps[] = { { 1e9, 1e9, " billion" }, { 1e6, 1e6, " million" }, { 1e4, 1e3, " k" } };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && isfinite(value); i++) {
		if (fabs(rounded(value, 4)) < steps[i].from)
			continue;
		*name = steps[i].name;
		return steps[i].unit;
	}
	*name = "";
	return 1;
}

char *pario_units_count(char *buf, double value)
{
	const char *name;
	double unit = pario_units_count_unit(value, &name);

	*buf = '\0';
	append_number(buf, value / unit, *name ? 3 : 4);
	return strcat(buf, name);
}

/* "2 h 5 min": two whole units, rounded to the smaller. */
static char *long_time(char *buf, double seconds)
{
	bool hours = seconds >= 5970; /* 99.5 min */
	double small = hours ? 60 : 1;
	double total = nearbyint(seconds / small);
	double high = floor(total / 60), low = fmod(total, 60);

	append_number(buf, high, 4);
	strcat(buf, hours ? " h" : " min");
	if (low > 0) {
		strcat(buf, " ");
		append_fixed(buf, low, 0);
		strcat(buf, hours ? " min" : " s");
	}
	return buf;
}

double pario_units_time_unit(double seconds, const char **name)
{
	static const struct {
		double unit;
		const char *name;
	} steps[] = { { 1, " s" }, { 1e-3, " ms" }, { 1e-6, " us" }, { 1e-9, " ns" } };
	size_t i = 0;

	if (isfinite(seconds) && seconds >= 99.95)
		return 0;
	if (isfinite(seconds) && seconds != 0)
		while (i < 3 && fabs(rounded(seconds, 3)) < steps[i].unit * (1 - 1e-9))
			i++;
	*name = steps[i].name;
	return steps[i].unit;
}

char *pario_units_time(char *buf, double seconds)
{
	const char *name = "";
	double unit = pario_units_time_unit(seconds, &name);

	*buf = '\0';
	if (unit == 0)
		return long_time(buf, seconds);
	append_number(buf, seconds / unit, 3);
	return strcat(buf, name);
}

char *pario_units_ns(char *buf, double ns)
{
	return pario_units_time(buf, ns * 1e-9);
}

char *pario_units_size(char *buf, uint64_t bytes)
{
	static const char *const names[] = { " B", " KiB", " MiB", " GiB", " TiB", " PiB" };
	unsigned power = 0;
	uint64_t unit = 1;

	while (power < 5 && bytes / unit >= 1024) {
		unit *= 1024;
		power++;
	}
	/* quarters are the fractions that two decimals can show exactly */
	if (!power || (bytes % (unit / 4) && bytes < 1000000)) {
		snprintf(buf, PARIO_UNITS_CAPACITY, "%" PRIu64 " B", bytes);
		return buf;
	}
	*buf = '\0';
	if (bytes % (unit / 4) == 0) {
		append_fixed(buf, (double)bytes / (double)unit, 2);
	} else {
		append_fixed(buf, (double)bytes / (double)unit, 1);
		/* "1.0 MiB" is about that much, "1 MiB" is exactly that */
		if (!strchr(buf, '.'))
			strcat(buf, ".0");
	}
	return strcat(buf, names[power]);
}

int pario_units_parse_share(const char *what, const char *text, double *share,
			    struct pario_err *err)
{
	struct pario_err unread = { 0 };
	size_t length = strlen(text);
	double percent = 0;
	char number[32];

	snprintf(number, sizeof(number), "%.*s",
		 (int)(length && text[length - 1] == '%' ? length - 1 : length), text);
	if (length >= sizeof(number) ||
	    pario_units_parse_real(what, number, &percent, &unread) < 0 || !(percent > 0) ||
	    percent > 100)
		return pario_err_set(err, PARIO_USAGE,
				     "%s %s is not a share; use one above 0%% and up to 100%%, "
				     "such as 5%%.",
				     what, text);
	*share = percent / 100;
	return 0;
}
