# Spack's recipe. The sources have no public address yet, so a checkout is named (installing.md, "As packages"):
#     spack develop --path CHECKOUT penumbra@=1.0.0

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Penumbra(CMakePackage):
    """Graph-structured iterative computations over MPI, one-sided: a library that distributes a graph over ranks, lets
    each rank pull the neighbours' states that it needs, and moves nodes between ranks while the computation runs."""

    license("MIT")

    version("1.0.0")

    depends_on("c", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3:")
    depends_on("metis@5:")
    depends_on("scotch@6.1:+mpi~metis")
    depends_on("uthash", type="build")
    depends_on("xxhash")
    depends_on("hwloc@2:")
    depends_on("zlib-api")
    depends_on("xz")
    depends_on("zstd")
    depends_on("py-matplotlib", type="run")
    depends_on("py-numpy", type="run")
    depends_on("py-scipy", type="run")

    extends("python")

    def cmake_args(self):
        return [self.define("PEN_PETSC", False)]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", join_path(self.prefix.lib, "python3", "dist-packages"))

    def test_run(self):
        """a run on two ranks computes what a serial one does"""
        mpiexec = which(self.spec["mpi"].prefix.bin.mpiexec)
        mpiexec("-n", "2", self.prefix.bin.join("pen-hex"), "--generate=hex:8x8", "--steps=5", "--verify")

    def test_examples(self):
        """the installed examples build against the installed library, and run"""
        cmake = which(self.spec["cmake"].prefix.bin.cmake)
        cmake("-S", join_path(self.prefix.share, "doc", "penumbra", "examples"), "-B", "examples",
              f"-DCMAKE_PREFIX_PATH={self.prefix}")
        cmake("--build", "examples")
        which("examples/heat")("--generate=random:nodes=60", "--steps=7", "--verify")
