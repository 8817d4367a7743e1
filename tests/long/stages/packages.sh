# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# The Debian package in a fresh Debian 12: installed, used, upgraded, purged. And the release built twice, in folders of
# other names, with another umask, time zone and number of jobs: the same hashes.

stage_packages() {
  needs dpkg-deb patchelf debootstrap || return 0
  ran='the package in a fresh Debian 12'
  if ! "$root/installer/package" --built "$root/build/release" --out "$folder/out" >"$folder/log" 2>&1; then
    flunk "installer/package" "$(tail -n 5 "$folder/log")"
    return 0
  fi
  pass
  in_fresh_debian
  if [[ $quick == yes ]]; then skip "the double build is left out by --quick"; else built_twice; fi
}

in_fresh_debian() {
  local debian=$folder/debian mirror=${PARAPET_DEBIAN_MIRROR:-http://deb.debian.org/debian} deb version
  if ((EUID != 0)); then
    skip "no root, which debootstrap needs"
    return 0
  fi
  if ! debootstrap --variant=minbase bookworm "$debian" "$mirror" >"$folder/log" 2>&1; then
    skip "debootstrap: $(tail -n 1 "$folder/log")"
    return 0
  fi
  deb=$(compgen -G "$folder/out/parapet_*.deb")
  version=$(dpkg-deb -f "$deb" Version)
  mkdir "$debian/packages"
  cp "$folder"/out/*.deb "$debian/packages/"
  older_version "$deb" "$debian/packages/older.deb"
  # A service that starts would outlive the stage.
  printf '#!/bin/sh\nexit 101\n' >"$debian/usr/sbin/policy-rc.d"
  chmod +x "$debian/usr/sbin/policy-rc.d"
  check "the older version is installed" in_debian apt-get install -y --no-install-recommends fonts-dejavu-core /packages/older.deb
  files_of_debian >"$folder/before"
  check "the sample is trained by the older version" in_debian parapet-cli train sample --epochs 2
  check "the package is an upgrade" in_debian apt-get install -y --no-install-recommends "/packages/${deb##*/}"
  check "the upgrade is installed" in_debian sh -c "dpkg-query -W -f '\${Version}' parapet | grep -x '$version'"
  check "the workspace of before is read" in_debian sh -c 'parapet-cli runs | grep -i finished'
  check "the workspace is sound" in_debian parapet-cli doctor
  check "the sample is trained" in_debian parapet-cli train sample --epochs 2
  check "the dashboard is written" in_debian env QT_QPA_PLATFORM=offscreen parapet --dashboard /root/dashboard.png
  check "the dashboard is a picture" test -s "$debian/root/dashboard.png"
  if compgen -G "$debian/packages/parapet-parquet_*.deb" >/dev/null; then
    check "Parquet is installed" in_debian sh -c 'apt-get install -y --no-install-recommends /packages/parapet-parquet_*.deb'
    check "Parquet is written and read" in_debian sh -c \
      'parapet-cli generate events --events 500 --out /root/e.parquet && parapet-cli preview /root/e.parquet'
  fi
  check "the packages are purged" in_debian sh -c 'apt-get purge -y $(dpkg-query -W -f "\${Package} " "parapet*")'
  files_of_debian >"$folder/after"
  grep -v -e parapet "$folder/before" >"$folder/expected" || true
  comm -13 "$folder/expected" "$folder/after" >"$folder/left"
  check "the purge leaves nothing" diff /dev/null "$folder/left"
  check "the workspace stays" test -s "$debian/root/.local/share/parapet/parapet.db"
}

# in_debian COMMAND…: as root of the fresh system, which shows what it wrote where it fails.
in_debian() {
  local -a clean=(env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
  unshare --mount --pid --fork "--mount-proc=$folder/debian/proc" chroot "$folder/debian" "${clean[@]}" "$@" >"$folder/log" 2>&1 && return 0
  tail -n 10 "$folder/log" >&2
  return 1
}

# Files that a package could leave: not those of users, of the package manager, or of caches.
files_of_debian() {
  (cd "$folder/debian" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./root -o -path ./tmp -o \
    -path ./packages -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \) -prune -o \
    -print | sort)
}

# older_version DEB FILE: the same package as version 0.0.1, with a file that the next one no longer has.
older_version() {
  local tree=$folder/older
  dpkg-deb -R "$1" "$tree"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$tree/DEBIAN/control"
  echo gone >"$tree/usr/share/doc/parapet/gone"
  dpkg-deb --root-owner-group -Zgzip --build "$tree" "$2" >/dev/null
  rm -rf "$tree"
}

# Everything from the source, twice.
built_twice() {
  local -a copies=("$folder/first" "$folder/a second folder with a longer name")
  local -a settings=("TZ=UTC 022 1" "TZ=Pacific/Kiritimati 077 $jobs")
  local i zone mask parallel
  for i in 0 1; do
    read -r zone mask parallel <<<"${settings[i]}"
    git clone -q "$root" "${copies[i]}"
    if [[ -d $root/build/arrow ]]; then
      mkdir -p "${copies[i]}/build"
      cp -a "$root/build/arrow" "${copies[i]}/build/arrow"
    fi
    if ! (
      cd "${copies[i]}"
      umask "$mask"
      export "$zone" CCACHE_DISABLE=1
      cmake --preset release -DPARAPET_BUILD_TESTS=OFF && cmake --build build/release -j "$parallel" &&
        installer/package --built build/release
    ) >"$folder/log" 2>&1; then
      flunk "build $((i + 1)) of the release" "$(tail -n 5 "$folder/log")"
      return 0
    fi
    progress $((i + 1)) 2
  done
  ran+=', and the release built twice'
  check "both builds have the same hashes" diff "${copies[0]}/build/package/SHA256SUMS" "${copies[1]}/build/package/SHA256SUMS"
}
