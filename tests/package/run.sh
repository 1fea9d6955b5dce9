#!/usr/bin/env bash
# The Debian packages: dpkg-buildpackage builds them from the files that git knows or would take, lintian has no errors, and what debian/tests
# says holds where they are installed: in a clean Debian, made by mmdebstrap in a folder, with nothing but what they and
# debian/tests/control depend on.  `make package-check` runs it; it takes minutes, and the network.
#
# As root; RELEASE=bookworm MIRROR=
set -eu
cd "$(dirname "$0")/../.."
release=${RELEASE:-bookworm}
for tool in dpkg-buildpackage dh mmdebstrap lintian; do
    command -v "$tool" > /dev/null || { echo "package: there is no $tool (Debian: dpkg-dev debhelper mmdebstrap lintian)"; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "package: a clean system is made as root"; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
quietly() { "$@" > "$tmp/log" 2>&1 || { tail -30 "$tmp/log"; echo "package: $1 failed"; exit 1; }; }

# ---- building ----
mkdir "$tmp/libfcl"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create | tar --extract --directory="$tmp/libfcl"
(cd "$tmp/libfcl" && quietly dpkg-buildpackage -us -uc -b)
for package in libfcl0 libfcl-dev fcl-tools libfcl-doc; do
    ls "$tmp/$package"_*.deb > /dev/null
done
lintian --fail-on error --tag-display-limit 0 "$tmp"/*.changes

# ---- a clean system ----
# names: packages of dependencies on standard input, without ours.
names() { tr ',' '\n' | sed 's/[(|].*//; s/ //g' | grep -v '^$\|^libfcl\|^fcl-' | sort -u; }
depends=$({ sed -n 's/^Depends: //p' debian/tests/control; for deb in "$tmp"/*.deb; do dpkg-deb -f "$deb" Depends; done; } | names |
    paste -sd, -)
# shellcheck disable=SC2086  # no mirror is no word
quietly mmdebstrap --variant=minbase --include="$depends" "$release" "$tmp/root" ${MIRROR:-}
mkdir "$tmp/root/packages"
cp "$tmp"/*.deb "$tmp/root/packages"
rm -f "$tmp"/root/packages/*-dbgsym_*
quietly chroot "$tmp/root" sh -c 'dpkg -i /packages/*.deb'
mkdir -p "$tmp/root/source/tests"
cp -r debian "$tmp/root/source"
cp -r tests/tools "$tmp/root/source/tests"
for test in $(sed -n 's/^Tests: //p' debian/tests/control); do
    chroot "$tmp/root" "/source/debian/tests/$test" || { echo "package: debian/tests/$test failed"; exit 1; }
done

# ---- and gone again ----
quietly chroot "$tmp/root" dpkg --purge libfcl0 libfcl-dev fcl-tools libfcl-doc
left=$(chroot "$tmp/root" find /usr /etc /var/lib/dpkg/info -name 'libfcl*' -o -name 'fcl*' -o -name '_fcl*')
[ -z "$left" ] || { echo "package: purging leaves $left"; exit 1; }
echo "package: ok"
