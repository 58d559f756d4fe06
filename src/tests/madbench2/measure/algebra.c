/*
 * algebra: calls of ScaLAPACK. Its Fortran routines take addresses, and the length of each character argument behind
 * all others.
 */
#include "tests/madbench2/measure/algebra.h"

#include <stddef.h>

#include "backend/module.h"

#ifdef PARIO_HAVE_SCALAPACK /* in the module */

PARIO_MODULE(scalapack);

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desc_a, double *b, int ib,
	       int jb, const int *desc_b, int context);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb,
	       const int *row_source, const int *col_source, const int *context, const int *leading,
	       int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
	      const int *desc, int *info, size_t uplo_length);
void pdpotri_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
	      const int *desc, int *info, size_t uplo_length);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
	     const int *ja, const int *desc_a, const double *beta, double *c, const int *ic,
	     const int *jc, const int *desc_c);
void pdgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
	     const double *alpha, const double *a, const int *ia, const int *ja, const int *desc_a,
	     const double *b, const int *ib, const int *jb, const int *desc_b, const double *beta,
	     double *c, const int *ic, const int *jc, const int *desc_c);

static const int first = 1, origin;
static const double nothing, whole = 1;

static int describe(struct pario_mad_matrix *matrix, const struct pario_mad_gang *gang,
		    struct pario_err *err)
{
	const struct pario_mad_part *p = &gang->part;
	int block = (int)p->block, leading = p->rows ? (int)p->rows : 1, info = 0;

	matrix->n = (int)p->pixels;
	matrix->handle = Csys2blacs_handle(gang->comm);
	matrix->context = matrix->handle;
	Cblacs_gridinit(&matrix->context, "Column", (int)p->side, (int)p->side);
	descinit_(matrix->description, &matrix->n, &matrix->n, &block, &block, &origin, &origin,
		  &matrix->context, &leading, &info);
	if (info == 0)
		return 0;
	return pario_err_set(err, PARIO_SYSTEM,
			     "ScaLAPACK refuses argument %d of the description of a matrix of %d "
			     "pixels in blocks of %d.",
			     -info, matrix->n, block);
}

static void release(struct pario_mad_matrix *matrix)
{
	if (matrix->n == 0)
		return;
	Cblacs_gridexit(matrix->context);
	Cfree_blacs_system_handle(matrix->handle);
	matrix->n = 0;
}

static void transpose(const struct pario_mad_matrix *matrix, const double *a, double *transposed)
{
	pdtran_(&matrix->n, &matrix->n, &whole, a, &first, &first, matrix->description, &nothing,
		transposed, &first, &first, matrix->description);
}

/* ScaLAPACK leaves the upper triangle alone. */
static void mirror(const struct pario_mad_matrix *matrix, const struct pario_mad_part *p, double *a,
		   double *transposed)
{
	transpose(matrix, a, transposed);
	for (uint64_t j = 0; j < p->cols; j++) {
		uint64_t col = pario_mad_global(j, p->block, p->side, p->col);

		for (uint64_t i = 0; i < p->rows; i++) {
			if (pario_mad_global(i, p->block, p->side, p->row) < col)
				a[j * p->rows + i] = transposed[j * p->rows + i];
		}
	}
}

static int invert(const struct pario_mad_matrix *matrix, const struct pario_mad_part *part,
		  double *a, double *scratch, struct pario_err *err)
{
	int info = 0;

	pdpotrf_("L", &matrix->n, a, &first, &first, matrix->description, &info, 1);
	if (info == 0)
		pdpotri_("L", &matrix->n, a, &first, &first, matrix->description, &info, 1);
	if (info != 0)
		return pario_err_set(err, PARIO_VERIFY,
				     "the matrix D is not positive definite (ScaLAPACK says %d), "
				     "so what was calculated before is wrong.",
				     info);
	mirror(matrix, part, a, scratch);
	return 0;
}

static void multiply(const struct pario_mad_matrix *matrix, const double *a, const double *b,
		     double *product)
{
	pdgemm_("N", "N", &matrix->n, &matrix->n, &matrix->n, &whole, a, &first, &first,
		matrix->description, b, &first, &first, matrix->description, &nothing, product,
		&first, &first, matrix->description);
}

static void remap(const struct pario_mad_matrix *all, const struct pario_mad_matrix *own, bool in,
		  const double *from, double *to)
{
	int target[9];

	for (int i = 0; i < 9; i++)
		target[i] = own->description[i];
	if (!in)
		target[1] = -1; /* the context of those that are not on the grid */
	Cpdgemr2d(all->n, all->n, from, 1, 1, all->description, to, 1, 1, target, all->context);
}

extern const struct pario_mad_algebra pario_mad_scalapack;
const struct pario_mad_algebra pario_mad_scalapack = {
	.describe = describe,
	.release = release,
	.invert = invert,
	.transpose = transpose,
	.product = multiply,
	.remap = remap,
};

#elif defined(PARIO_MODULE_SCALAPACK)

const struct pario_mad_algebra *pario_mad_algebra(void)
{
	static struct pario_module module = { .name = "scalapack",
					      .symbol = "pario_mad_scalapack" };
	static const struct pario_mad_algebra none = { .missing = module.reason };
	const struct pario_mad_algebra *found = pario_module_load(&module);

	return found ? found : &none;
}

#else

const struct pario_mad_algebra *pario_mad_algebra(void)
{
	static const struct pario_mad_algebra none = {
		.missing =
			"it needs ScaLAPACK, which was not found when pario was built (Debian packages "
			"libscalapack-mpi-dev, for MPICH libscalapack-mpich-dev)",
	};

	return &none;
}

#endif
