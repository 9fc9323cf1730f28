import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class LimberConan(ConanFile):
    name = "limber"
    description = "Character animation for crowds as Vulkan compute, with a CPU path that gives the same bits"
    license = "MIT"
    topics = ("animation", "skinning", "vulkan", "gltf")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "simd": [True, False], "assimp": [True, False],
               "draco": [True, False], "meshoptimizer": [True, False], "ufbx": [True, False]}
    default_options = {"shared": False, "fPIC": True, "simd": True, "assimp": False, "draco": False,
                       "meshoptimizer": False, "ufbx": False}

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(limber VERSION ([0-9.]+)", text).group(1)

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "CHANGELOG.md", "include/*", "src/*", "shaders/*",
                        "docs/graph.schema.json", "docs/*.md"):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def config_options(self):
        if self.settings.os == "Windows":
            self.options.rm_safe("fPIC")

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        if not self.options.assimp and not self.options.draco and not self.options.meshoptimizer:  # then everything is C
            self.settings.rm_safe("compiler.cppstd")
            self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("vulkan-headers/1.3.239.0", transitive_headers=True)
        self.requires("spirv-headers/1.3.239.0")
        if self.options.assimp:
            self.requires("assimp/[>=5.2 <6]")
        if self.options.draco:
            self.requires("draco/[>=1.5 <2]")
        if self.options.meshoptimizer:
            self.requires("meshoptimizer/[>=0.18 <1]")
        if self.options.ufbx:
            self.requires("ufbx/[>=0.18 <1]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        self.tool_requires("shaderc/2023.6")
        self.tool_requires("spirv-tools/1.3.239.0")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LIMBER_SIMD"] = "ON" if self.options.simd else "OFF"
        toolchain.cache_variables["LIMBER_ASSIMP"] = bool(self.options.assimp)
        toolchain.cache_variables["LIMBER_DRACO"] = bool(self.options.draco)
        toolchain.cache_variables["LIMBER_MESHOPT"] = bool(self.options.meshoptimizer)
        toolchain.cache_variables["LIMBER_UFBX"] = "PACKAGE" if self.options.ufbx else ""
        toolchain.cache_variables["LIMBER_TOOLS"] = False
        toolchain.cache_variables["LIMBER_TESTS"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        for folder in (("lib", "cmake"), ("lib", "pkgconfig"), ("share",)):  # Conan generates its own
            rmdir(self, os.path.join(self.package_folder, *folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "limber")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "limber::limber")
        core.set_property("pkg_config_name", "limber")
        core.libs = ["limber"]
        core.requires = ["vulkan-headers::vulkan-headers", "spirv-headers::spirv-headers"]
        if self.options.shared:
            core.defines = ["LMB_SHARED"]
        elif self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["m", "pthread"]
        graph = self.cpp_info.components["graph"]
        graph.set_property("cmake_target_name", "limber::graph")
        graph.set_property("pkg_config_name", "limber-graph")
        graph.libs = ["limber-graph"]
        graph.requires = ["core"]
        reader = self.cpp_info.components["import"]
        reader.set_property("cmake_target_name", "limber::import")
        reader.set_property("pkg_config_name", "limber-import")
        reader.libs = ["limber-import"]
        readers = [name for name in ("assimp", "draco", "meshoptimizer", "ufbx") if self.options.get_safe(name)]
        reader.requires = ["graph"] + [f"{name}::{name}" for name in readers]
