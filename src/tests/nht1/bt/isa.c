/*
 * isa: which builds of the kernel can this processor run?
 *
 * The levels are those of the x86-64 psABI, as far as the kernels use them. Re-checked on every call: compared with
 * a solver that costs nothing, and there is no state to keep.
 */
#include "tests/nht1/bt/kernel.h"

#include <stdbool.h>

extern const struct pario_bt_kernel pario_bt_kernel_portable;

#ifdef PARIO_BT_LEVELS
extern const struct pario_bt_kernel pario_bt_kernel_v3, pario_bt_kernel_v4;

static bool has_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi2");
}

static bool has_v4(void)
{
	return has_v3() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
}
#endif

const struct pario_bt_kernel *pario_bt_kernel_at(int i)
{
#ifdef PARIO_BT_LEVELS
	__builtin_cpu_init();
	if (i == 1 && has_v3())
		return &pario_bt_kernel_v3;
	if (i == 2 && has_v4())
		return &pario_bt_kernel_v4;
#endif
	return i == 0 ? &pario_bt_kernel_portable : NULL;
}
