"""Spack recipe. In a repository of your own: packages/pario/package.py beside repo.yaml; then `spack install pario`.

`make dist` makes the archive; `spack checksum` and `version()` follow once it has an address. Until then:
`spack dev-build pario@main` in the source directory.
"""
from spack.package import *


class Pario(CMakePackage):
    """Parallel I/O benchmark suite: measures, traces, predicts and explains the I/O of parallel computers."""

    homepage = "https://pario.invalid/"
    license("Apache-2.0")

    version("main")

    variant("hdf5", default=True, description="the backend hdf5, and HDF5 in traces")
    variant("pnetcdf", default=True, description="the backend pnetcdf, and PnetCDF in traces")
    variant("uring", default=True, description="the backend uring")
    variant("scalapack", default=False, description="madbench2 with its algebra")
    variant("tracer", default=True, description="compressed traces, and lines of call sites")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("jansson")
    depends_on("xxhash")
    depends_on("hwloc")
    depends_on("hdf5+mpi", when="+hdf5")
    depends_on("parallel-netcdf", when="+pnetcdf")
    depends_on("liburing", when="+uring")
    depends_on("netlib-scalapack", when="+scalapack")
    depends_on("zstd", when="+tracer")
    depends_on("zlib-api", when="+tracer")
    depends_on("bzip2", when="+tracer")
    depends_on("elfutils", when="+tracer")

    def cmake_args(self):
        def switch(variant):
            return "ON" if self.spec.satisfies("+" + variant) else "OFF"

        return [
            self.define("CMAKE_C_COMPILER", self.spec["mpi"].mpicc),
            "-DPARIO_WITH_HDF5=" + switch("hdf5"),
            "-DPARIO_WITH_PNETCDF=" + switch("pnetcdf"),
            "-DPARIO_WITH_LIBURING=" + switch("uring"),
            "-DPARIO_WITH_SCALAPACK=" + switch("scalapack"),
            "-DPARIO_WITH_ZSTD=" + switch("tracer"),
            "-DPARIO_WITH_ZLIB=" + switch("tracer"),
            "-DPARIO_WITH_BZIP2=" + switch("tracer"),
            "-DPARIO_WITH_LIBDW=" + switch("tracer"),
        ]

    def test_list(self):
        """what this build can measure"""
        which(self.prefix.bin.pario)("list")
