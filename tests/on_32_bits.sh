#!/usr/bin/env bash
# Runs a Python of 32 bits, as browsers have one: numpy counts with 32 bits there, where nobody asks for 64.
#
#     tests/on_32_bits.sh                               # the fast tests
#     tests/on_32_bits.sh -m pytest tests/storage -x    # or whatever else Python should do
#     tests/on_32_bits.sh benchmarks/state_hashes.py --against "$PWD/hashes.txt"
#
# It needs Linux on x86-64, apt, Debian's keys (`apt install debian-archive-keyring`) and the environment of development,
# where ziglang links the kernels. Nothing is installed and nobody has to be root: Debian's packages for i386 are unpacked
# below build/i386, and the loader among them starts their Python. Delete that folder for newer packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
place=$PWD/build/i386
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

if [[ ! -e $place/whole ]]; then
    rm -rf "$place"
    mkdir -p "$place"/apt/{lists,archives}/partial
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keys] $mirror trixie main" >"$place/apt/sources"  # the first Debian with numpy 2
    : >"$place/apt/status"  # nothing is there yet
    apt=(apt-get -qq -o Dir::State="$place/apt" -o Dir::State::status="$place/apt/status" -o Dir::Cache="$place/apt"
         -o Dir::Etc::SourceList="$place/apt/sources" -o Dir::Etc::SourceParts=- -o APT::Architecture=i386
         -o APT::Architectures=i386 -o APT::Sandbox::User= -o Dir::Cache::Archives="$place/apt/archives")
    "${apt[@]}" update
    "${apt[@]}" install --yes --download-only --no-install-recommends python3-{numpy,pil,shapely,contourpy,zstandard} \
        python3-{hypothesis,mpmath,platformdirs,tomlkit}
    for package in "$place"/apt/archives/*.deb; do dpkg-deb --extract "$package" "$place"; done
    rm -r "$place/apt"
    libraries=$place/usr/lib/i386-linux-gnu
    cat >"$place/usr/bin/python" <<START
#!/bin/sh
exec "$place/usr/lib/ld-linux.so.2" --library-path "$libraries:$libraries/blas:$libraries/lapack" --argv0 "\$0" \
    "$place/usr/bin/python3" "\$@"
START
    chmod +x "$place/usr/bin/python"
    "$python" -m pip install -q --no-deps --only-binary :all: --target "$place/packages" \
        "esper>=3.9,<4" "pyglet>=2.1.8,<2.2" svgelements "pytest>=9.0" pytest-xdist execnet iniconfig packaging pluggy pygments
    cat >"$place/packages/sitecustomize.py" <<ROUND
"""Has numbers rounded to 53 bits after each operation, as everywhere: Debian's Python for i386 computes with an x87."""
import ctypes
libm = ctypes.CDLL("libm.so.6")
environment = (ctypes.c_uint16 * 14)()
libm.fegetenv(environment)
environment[0] = environment[0] & ~0x300 | 0x200  # the control word: precision of doubles
libm.fesetenv(environment)
ROUND
    touch "$place/whole"
fi

copy=$place/copy
rm -rf "$copy"
mkdir -p "$copy"
tar --create --exclude-vcs --exclude=./build --exclude=./.venv --exclude=__pycache__ --exclude="./ecs_softbody/compiled/?*" . |
    tar --extract --directory "$copy"
cp ecs_softbody/compiled/__init__.py "$copy/ecs_softbody/compiled"
"$python" -m ecs_softbody.building --system linux-i686 --folder "$copy/ecs_softbody/compiled"
metadata=$("$python" -c "from importlib.metadata import distribution as found; print(found('ecs-softbody')._path)")
cp -r "$metadata" "$copy"  # it tells which games there are
cd "$copy"
unset CI  # which asks for a window
# Some need what Debian has not for i386: mapbox-earcut, numba, and a compiler for it.
without=(tests/rendering/test_holes.py tests/elementary/test_{angles,exponential}.py tests/benchmarks/test_c_reference.py)
(($#)) || set -- -m pytest "${without[@]/#/--ignore=}"
PYTHONPATH=$place/packages:$copy:$copy/games:$copy/benchmarks exec "$place/usr/bin/python" "$@"
