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

# Runs the Swift tests that are built. What failed is said once more at the end: of a long log that is what people see.
swift_tests() {
    local log=$root/.build/tests.log
    swift test --skip-build --no-parallel "$@" 2>&1 | tee "$log" && return
    say "what failed (all of it: $log)"
    sed -i 's/\x1b\[[0-9;]*m//g' "$log"
    # The line of a failure goes with those that explain it.
    awk '/^✘|: error:|Sanitizer/ { shown = 1 } /^(◇|✔)/ { shown = 0 } shown' "$log" | head -n 200 >&2
    grep -q ' Test run with ' "$log" || say "the run broke off in: $(grep '^◇ Test' "$log" | tail -n 1)"
    return 1
}
