# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What installer/run, installer/test and the continuous integration share. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '\n== %s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Names of the Debian packages, without the reasons beside them.
package_names() { awk '!/^#/ && NF { print $1 }' "$root/installer/packages"; }

# install_packages [PACKAGE…]: installs what is missing of the list and of these. Where that cannot be done it says what to install and goes on: CMake
# finds what is there and names what is not.
install_packages() {
  local -a missing=() as_root=()
  local package
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    warn "not a Debian system; if the build stops, install the equivalents of: $(package_names | xargs)"
    return 0
  fi
  for package in $(package_names) "$@"; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      warn "not root and no sudo; as root: apt-get install ${missing[*]}"
      return 0
    fi
    as_root=(sudo)
  fi
  say "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || warn "the package lists could not be refreshed"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" ||
    warn "packages could not be installed: ${missing[*]}"
}

# Apache Arrow, which reads and writes Parquet: the system's, else out of a package of PyPI. Without
# it all the rest is built, and the program says why it reads no Parquet.
fetch_arrow() {
  command -v cmake >/dev/null || return 0
  pkg-config --atleast-version=26 arrow parquet 2>/dev/null && return 0
  cmake -P "$root/installer/cmake/FetchArrow.cmake" ||
    warn "Apache Arrow could not be fetched; Parquet files will not be read"
}

# configure PRESET
configure() {
  command -v cmake >/dev/null || fail "cmake is not installed"
  say "Configuring build/$1"
  (cd "$root" && cmake --preset "$1" --log-level=WARNING)
}

# build PRESET [TARGET…]
build() {
  local preset=$1
  shift
  say "Building build/$preset"
  cmake --build "$root/build/$preset" -j "$jobs" ${1:+--target "$@"}
}

# has_target PRESET TARGET: what a preset leaves out, the build files do not know.
has_target() { cmake --build "$root/build/$1" -- -t query "$2" >/dev/null 2>&1; }

# The moment that what is packed bears, in seconds since 1970: that of the commit.
# Whoever owns the folder.
source_date() { git_here log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CHANGELOG.md"; }
git_here() { git -c safe.directory='*' -C "$root" "$@"; }

# even_out FOLDER: one time and the usual modes for all in it, whatever the umask of whoever made it.
even_out() {
  find "$1" -type d -exec chmod 755 {} +
  find "$1" -type f -perm -u+x -exec chmod 755 {} +
  find "$1" -type f ! -perm -u+x -exec chmod 644 {} +
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# archive_of PATH…: a tar of them on standard output, the same for the same contents.
archive_of() {
  tar --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$@"
}

# run_tests PRESET [CTEST ARGUMENT…]: one line per test program and every reason for a skip while
# they run; the whole output in build/PRESET/tests.log, the sums in build/PRESET/tests.totals. Where
# `expected_skips` names a file, a skip for a reason that is not in it is a failure.
run_tests() {
  local preset=$1
  shift
  local folder=$root/build/$preset
  rm -f "$folder/tests.totals"
  say "Testing build/$preset"
  # One more than there are cores: many tests wait, for a window, a server or a process that they kill.
  ctest --test-dir "$folder" --verbose -j $((jobs + 1)) "$@" 2>&1 | tee "$folder/tests.log" |
    awk -v totals="$folder/tests.totals" -v expected="${expected_skips:-}" -f "$root/installer/totals.awk"
}
