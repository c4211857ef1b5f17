# Shared by the scripts: where the project is, and how the package manager is called. Sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
[ -t 2 ] || say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The release build with the Swift runtime inside: one file to copy.
build_release() {
    swift build --configuration release --static-swift-stdlib --product calotype
}
release_binary() {
    printf '%s/calotype\n' "$(swift build --configuration release --static-swift-stdlib --show-bin-path)"
}
