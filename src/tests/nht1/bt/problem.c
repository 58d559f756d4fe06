/*
 * problem: the tables and formulae of the classes (NPB 3.4 BT).
 */
#include "tests/nht1/bt/problem.h"

#include <math.h>
#include <stddef.h>

static const struct pario_bt_problem problems[] = {
	{ .class = 'S',
	  .n = 12,
	  .steps = 60,
	  .dt = 0.01,
	  .xcr = { 1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02,
		   2.6436421275166801e-02, 1.9211784131744430e-01 },
	  .xce = { 4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
		   7.3821238632439731e-05, 8.9269630987491446e-04 },
	  .xce_io = { 0.1149036328945e+02, 0.9156788904727e+00, 0.2857899428614e+01,
		      0.2598273346734e+01, 0.2652795397547e+02 } },
	{ .class = 'W',
	  .n = 24,
	  .steps = 200,
	  .dt = 0.0008,
	  .xcr = { 0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02,
		   0.2469174937669e+02, 0.2638427874317e+03 },
	  .xce = { 0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01,
		   0.9235878729944e+00, 0.1018045837718e+02 },
	  .xce_io = { 0.6729594398612e+02, 0.5264523081690e+01, 0.1677107142637e+02,
		      0.1508721463436e+02, 0.1477018363393e+03 } },
	{ .class = 'A',
	  .n = 64,
	  .steps = 200,
	  .dt = 0.0008,
	  .xcr = { 1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01,
		   2.3665622544678910e+01, 2.5278963211748344e+02 },
	  .xce = { 4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01,
		   8.8302063039765474e-01, 9.7379901770829278e+00 },
	  .xce_io = { 0.6482218724961e+02, 0.5066461714527e+01, 0.1613931961359e+02,
		      0.1452010201481e+02, 0.1420099377681e+03 } },
	{ .class = 'B',
	  .n = 102,
	  .steps = 200,
	  .dt = 0.0003,
	  .xcr = { 1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02,
		   3.2485447959084092e+02, 3.2707541254659363e+03 },
	  .xce = { 5.2969847140936856e+01, 4.4632896115670668e+00, 1.3122573342210174e+01,
		   1.2006925323559144e+01, 1.2459576151035986e+02 },
	  .xce_io = { 0.1477545106464e+03, 0.1108895555053e+02, 0.3698065590331e+02,
		      0.3310505581440e+02, 0.3157928282563e+03 } },
	{ .class = 'C',
	  .n = 162,
	  .steps = 200,
	  .dt = 0.0001,
	  .xcr = { 0.62398116551764615e+04, 0.50793239190423964e+03, 0.15423530093013596e+04,
		   0.13302387929291190e+04, 0.11604087428436455e+05 },
	  .xce = { 0.16462008369091265e+03, 0.11497107903824313e+02, 0.41207446207461508e+02,
		   0.37087651059694167e+02, 0.36211053051841265e+03 },
	  .xce_io = { 0.2597156483475e+03, 0.1985384289495e+02, 0.6517950485788e+02,
		      0.5757235541520e+02, 0.5215668188726e+03 } },
	{ .class = 'D',
	  .n = 408,
	  .steps = 250,
	  .dt = 0.00002,
	  .xcr = { 0.2533188551738e+05, 0.2346393716980e+04, 0.6294554366904e+04,
		   0.5352565376030e+04, 0.3905864038618e+05 },
	  .xce = { 0.3100009377557e+03, 0.2424086324913e+02, 0.7782212022645e+02,
		   0.6835623860116e+02, 0.6065737200368e+03 },
	  .xce_io = { 0.3813781566713e+03, 0.3160872966198e+02, 0.9593576357290e+02,
		      0.8363391989815e+02, 0.7063466087423e+03 } },
	{ .class = 'E',
	  .n = 1020,
	  .steps = 250,
	  .dt = 0.4e-5,
	  .xcr = { 0.9795372484517e+05, 0.9739814511521e+04, 0.2467606342965e+05,
		   0.2092419572860e+05, 0.1392138856939e+06 },
	  .xce = { 0.4327562208414e+03, 0.3699051964887e+02, 0.1089845040954e+03,
		   0.9462517622043e+02, 0.7765512765309e+03 },
	  .xce_io = { 0.4729898413058e+03, 0.4145899331704e+02, 0.1192850917138e+03,
		      0.1032746026932e+03, 0.8270322177634e+03 } },
	{ .class = 'F',
	  .n = 2560,
	  .steps = 250,
	  .dt = 0.6e-6,
	  .xcr = { 0.4240735175585e+06, 0.4348701133212e+05, 0.1078114688845e+06,
		   0.9142160938556e+05, 0.5879842143431e+06 },
	  .xce = { 0.5095577042351e+03, 0.4557065541652e+02, 0.1286632140581e+03,
		   0.1111419378722e+03, 0.8720011709356e+03 } },
};

enum { PROBLEMS = sizeof(problems) / sizeof(problems[0]) };

const struct pario_bt_problem *pario_bt_problem(char class)
{
	if (class >= 'a' && class <= 'z')
		class = (char)(class - 'a' + 'A');
	for (size_t i = 0; i < PROBLEMS; i++)
		if (problems[i].class == class)
			return &problems[i];
	return NULL;
}

const char *pario_bt_classes(void)
{
	return "SWABCDEF";
}

double pario_bt_operations(char class)
{
	const struct pario_bt_problem *p = pario_bt_problem(class);
	double n = p ? p->n : 0;

	return p ? p->steps * (3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n) : 0;
}

int pario_bt_steps(char class)
{
	const struct pario_bt_problem *p = pario_bt_problem(class);

	return p ? p->steps : 0;
}

int pario_bt_points(char class)
{
	const struct pario_bt_problem *p = pario_bt_problem(class);

	return p ? p->n : 0;
}

double pario_bt_dt(char class)
{
	const struct pario_bt_problem *p = pario_bt_problem(class);

	return p ? p->dt : 0;
}

double pario_bt_second(int direction)
{
	return direction == 2 ? 1.0 : 0.75;
}

bool pario_bt_agrees(const double value[5], const double reference[5])
{
	for (int m = 0; m < 5; m++)
		if (!(fabs(value[m] - reference[m]) <= 1e-8 * fabs(reference[m])))
			return false;
	return true;
}

/* Per component: a constant, then the coefficients of x, y, z by power: 1, 2, 3, 4. */
static const double ce[5][13] = {
	{ 2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3 },
	{ 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5 },
	{ 2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4 },
	{ 2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3 },
	{ 5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2 },
};

void pario_bt_exact(double x, double y, double z, double u[5])
{
	for (int m = 0; m < 5; m++) {
		const double *c = ce[m];

		u[m] = c[0] + x * (c[1] + x * (c[4] + x * (c[7] + x * c[10]))) +
		       y * (c[2] + y * (c[5] + y * (c[8] + y * c[11]))) +
		       z * (c[3] + z * (c[6] + z * (c[9] + z * c[12])));
	}
}

static bool on_face(int n, int i)
{
	return i == 0 || i == n - 1;
}

/*
 * Inside, products of function values are combined like a Boolean sum; it is not a proper one, and every
 * implementation keeps it, since the reference norms depend on it.
 */
void pario_bt_initial(int n, int i, int j, int k, double u[5])
{
	double h = 1.0 / (n - 1), x = i * h, y = j * h, z = k * h;
	double low[3][5], high[3][5];

	if (i == n - 1)
		x = 1;
	if (j == n - 1)
		y = 1;
	if (k == n - 1)
		z = 1;
	if (on_face(n, i) || on_face(n, j) || on_face(n, k)) {
		pario_bt_exact(x, y, z, u);
		return;
	}
	pario_bt_exact(0, y, z, low[0]);
	pario_bt_exact(1, y, z, high[0]);
	pario_bt_exact(x, 0, z, low[1]);
	pario_bt_exact(x, 1, z, high[1]);
	pario_bt_exact(x, y, 0, low[2]);
	pario_bt_exact(x, y, 1, high[2]);
	for (int m = 0; m < 5; m++) {
		double px = x * high[0][m] + (1 - x) * low[0][m];
		double py = y * high[1][m] + (1 - y) * low[1][m];
		double pz = z * high[2][m] + (1 - z) * low[2][m];

		u[m] = px + py + pz - px * py - px * pz - py * pz + px * py * pz;
	}
}
