/*
 * constants: the constants: methods, and how much a normal, a short and a test run do. Nothing is worked out here.
 */
#include "tests/beff/model/constants.h"

const char *const pario_beff_methods[PARIO_BEFF_METHODS] = { "Sendrecv", "Alltoallv",
							     "nonblocking" };

/*
 * The paper asks for loops of 2.5 to 5 ms and 3 to 5 minutes in all; it has no short runs. Those scale the loops as
 * the program scales its target.
 */
const struct pario_beff_scale pario_beff_scales[] = {
	[PARIO_BEFF_NORMAL] = { .mark = "",
				.repetitions = 3,
				.randoms = 30,
				.target_s = 0.5,
				.limit_s = 60,
				.loop_s = 3.5e-3,
				.budget_s = 240 },
	[PARIO_BEFF_SHORT] = { .mark = "(short)",
			       .repetitions = 2,
			       .randoms = 6,
			       .target_s = 0.05,
			       .limit_s = 60,
			       .loop_s = 3.5e-4,
			       .budget_s = 60 },
	[PARIO_BEFF_TEST] = { .mark = "(test)",
			      .repetitions = 3,
			      .randoms = 2,
			      .target_s = 0.005,
			      .limit_s = 1,
			      .loop_s = 3.5e-5,
			      .budget_s = 30 },
};
