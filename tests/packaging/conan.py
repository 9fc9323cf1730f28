"""conan.py SOURCE BINARY KERNELS C_COMPILER

Runs the methods of the Conan recipe and of its test package in Conan's order, with stand-ins for the parts of Conan that
they use. Each runs for a static and for a shared library. CMakeDeps is a package file made from package_info(), without
the packages that Limber requires, which this machine has in its own folders.
"""
import collections
import fnmatch
import importlib.util
import os
import shutil
import subprocess
import sys
import types

SOURCE, BINARY, KERNELS, COMPILER = (os.path.abspath(argument) for argument in sys.argv[1:])


class Values(dict):
    """Settings or options."""

    __getattr__ = dict.__getitem__

    def get_safe(self, name, default=None):
        return self.get(name, default)

    def rm_safe(self, name):
        self.pop(name, None)


class Component:
    def __init__(self):
        self.properties = {}
        self.libs = []
        self.system_libs = []
        self.defines = []
        self.requires = []

    def set_property(self, name, value):
        self.properties[name] = value


class CppInfo(Component):
    def __init__(self):
        super().__init__()
        self.components = collections.defaultdict(Component)


class ConanFile:
    def __init__(self, recipe_folder, folder, shared):
        self.recipe_folder = recipe_folder
        self.folder = folder
        self.export_sources_folder = os.path.join(folder, "source")
        self.source_folder = self.export_sources_folder
        self.build_folder = os.path.join(folder, "build")
        self.package_folder = os.path.join(folder, "package")
        self.settings = Values(os="Linux", arch="x86_64", compiler="gcc", build_type="Release")
        self.settings["compiler.cppstd"] = "17"
        self.options = Values(getattr(type(self), "default_options", {}), shared=shared)
        self.cpp_info = CppInfo()
        self.required = []
        self.variables = {}

    def requires(self, reference, transitive_headers=False):
        self.required.append(reference)

    tool_requires = requires

    def run(self, command, env=None):
        subprocess.run([command], check=True)


class CMakeToolchain:
    def __init__(self, conanfile):
        self.conanfile = conanfile
        self.cache_variables = {}

    def generate(self):
        self.conanfile.variables.update(self.cache_variables)


class CMakeDeps:
    """Conan generates the files of the packages that are required."""

    def __init__(self, conanfile):
        self.conanfile = conanfile

    def generate(self):
        for package in getattr(self.conanfile, "packages", []):
            write_package_file(package, os.path.join(self.conanfile.folder, "generators"))


class CMake:
    def __init__(self, conanfile):
        self.conanfile = conanfile

    def call(self, *arguments):
        result = subprocess.run(["cmake", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            sys.exit(result.stdout)

    def configure(self):
        file = self.conanfile
        variables = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_C_COMPILER": COMPILER, "CMAKE_C_FLAGS_RELEASE": "-O0",
                     "BUILD_SHARED_LIBS": file.options["shared"], "LIMBER_KERNELS": KERNELS,
                     "CMAKE_PREFIX_PATH": os.path.join(file.folder, "generators"),
                     "CMAKE_INSTALL_PREFIX": file.package_folder, **file.variables}
        self.call("-S", file.source_folder, "-B", file.build_folder, "-G", "Ninja",
                  *(f"-D{name}={'ON' if value is True else value or 'OFF'}" for name, value in variables.items()))

    def build(self):
        self.call("--build", self.conanfile.build_folder)

    def install(self):
        self.call("--install", self.conanfile.build_folder)


def write_package_file(package, folder):
    """Writes the CMake targets that package_info() describes."""
    info = package.cpp_info
    name = info.properties["cmake_file_name"]
    names = {key: component.properties["cmake_target_name"] for key, component in info.components.items()}
    lines = []
    for key, component in info.components.items():
        (library,) = (os.path.join(package.package_folder, "lib", file) for file in
                      os.listdir(os.path.join(package.package_folder, "lib"))
                      if file in (f"lib{component.libs[0]}.a", f"lib{component.libs[0]}.so"))
        needed = [names[other] for other in component.requires if "::" not in other] + component.system_libs
        lines += [f"add_library({names[key]} UNKNOWN IMPORTED)",
                  f"set_target_properties({names[key]} PROPERTIES IMPORTED_LOCATION {library}",
                  f'  INTERFACE_INCLUDE_DIRECTORIES {os.path.join(package.package_folder, "include")}',
                  f'  INTERFACE_COMPILE_DEFINITIONS "{";".join(component.defines)}"',
                  f'  INTERFACE_LINK_LIBRARIES "{";".join(needed)}")']
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{name}-config.cmake"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def cmake_layout(conanfile):
    conanfile.cpp = types.SimpleNamespace(build=types.SimpleNamespace(bindir=conanfile.build_folder))


def copy(conanfile, pattern, src, dst):
    """As Conan's: the pattern applies to the path below src, and `*` also matches slashes."""
    copied = 0
    for folder, _, files in os.walk(os.path.join(src, os.path.dirname(pattern.split("*")[0]))):
        for file in files:
            path = os.path.relpath(os.path.join(folder, file), src)
            if fnmatch.fnmatch(path, pattern):
                target = os.path.join(dst, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(os.path.join(folder, file), target)
                copied += 1
        if "*" not in pattern:
            break
    if copied == 0:
        sys.exit(f"{pattern} matches nothing in {src}")


def load(conanfile, path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rmdir(conanfile, path):
    shutil.rmtree(path, ignore_errors=True)


def install_stand_ins():
    for name, members in {"conan": [ConanFile], "conan.tools": [], "conan.tools.build": [],
                          "conan.tools.cmake": [CMake, CMakeDeps, CMakeToolchain, cmake_layout],
                          "conan.tools.files": [copy, load, rmdir]}.items():
        module = types.ModuleType(name)
        for member in members:
            setattr(module, member.__name__, member)
        sys.modules[name] = module
    sys.modules["conan.tools.build"].can_run = lambda conanfile: True


def recipe(folder):
    """The class of a recipe's file."""
    spec = importlib.util.spec_from_file_location("recipe", os.path.join(folder, "conanfile.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(value for value in vars(module).values()
                if isinstance(value, type) and issubclass(value, ConanFile) and value is not ConanFile)


def create(shared):
    """conan create"""
    folder = os.path.join(BINARY, "shared" if shared else "static")
    recipe_folder = os.path.join(SOURCE, "packaging", "conan")
    for part in ("source", "package", "test"):
        shutil.rmtree(os.path.join(folder, part), ignore_errors=True)
    package = recipe(recipe_folder)(recipe_folder, folder, shared)
    package.options["simd"] = False  # what is tested is the recipe
    for method in ("set_version", "export_sources", "config_options", "configure", "layout", "requirements", "build_requirements",
                   "generate", "build", "package", "package_info"):
        getattr(package, method)()
    if not os.path.exists(os.path.join(package.package_folder, "licenses", "LICENSE")):
        sys.exit("The package has no licence")

    test_folder = os.path.join(recipe_folder, "test_package")
    test = recipe(test_folder)(test_folder, os.path.join(folder, "test"), shared)
    test.source_folder = test_folder
    test.tested_reference_str = f"{package.name}/{package.version}"
    test.packages = [package]
    test.requirements()
    test.layout()
    for generator in test.generators:
        {"CMakeDeps": CMakeDeps, "CMakeToolchain": CMakeToolchain}[generator](test).generate()
    test.build()
    test.test()
    print(f"{test.tested_reference_str} {'shared' if shared else 'static'}, requires {', '.join(package.required)}")


install_stand_ins()
create(False)
create(True)
