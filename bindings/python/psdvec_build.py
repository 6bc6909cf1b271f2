"""The build backend of pyproject.toml (PEP 517), so that pip and build work on the source archive.

Both archives are made by the Makefile; this module only calls it. It needs nothing from PyPI.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

import make_wheel


def _run_make(target, directory):
    """Runs a target that writes one file, moves the file to the directory and returns its name."""
    # Type stubs need numpy. An isolated environment has none; then make uses the Python of the system.
    python = [f"PYTHON={sys.executable}"] if importlib.util.find_spec("numpy") else []
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            [os.environ.get("MAKE", "make"), "--no-print-directory", f"-j{os.cpu_count() or 1}",
             *python, f"DIST_DIR={scratch}", f"WHEEL_DIR={scratch}", target],
            cwd=make_wheel.ROOT, check=True, stdout=sys.stderr)
        (name,) = os.listdir(scratch)
        shutil.move(os.path.join(scratch, name), os.path.join(directory, name))
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _run_make("wheel", wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    return _run_make("sdist", sdist_directory)
