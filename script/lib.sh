# Shared by the scripts: the project folder, and calls of the package manager. Source it; do not run it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
[ -t 2 ] || say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Up to Swift 6.3, the package manager passes traits to the compiler in the order of a set. Another order counts as another
# command, so a new plan often compiles everything again: https://github.com/swiftlang/swift-package-manager/issues/10525
swift() { SWIFT_DETERMINISTIC_HASHING=1 command swift "$@"; }

# Options of a debug build for no editor and no debugger, which takes a third less time. With tests, they need CALOTYPE_PARTS
# (Package.swift says why).
lean=(--disable-index-store -debug-info-format none -Xswiftc -gline-tables-only)

# The same for a build that happens once: each module is compiled as a whole, which takes a fifth less time, but any change of
# a module compiles all of it again.
once=("${lean[@]}" -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2)

# Builds for debugging. In continuous integration, everything is built once.
build() {
    if [ -z "${CI:-}" ]; then
        swift build "$@"
    else
        CALOTYPE_PARTS=${CALOTYPE_PARTS:-$(test_targets | sed 's/Tests$//' | paste -sd,)} swift build "${once[@]}" "$@"
    fi
}

# Builds a release with the Swift runtime included: one file to copy.
build_release() {
    swift build --configuration release --static-swift-stdlib --product calotype
}
release_binary() {
    printf '%s/calotype\n' "$(swift build --configuration release --static-swift-stdlib --show-bin-path)"
}

# Prints the names of all test targets, the largest first.
test_targets() {
    du -s "$root"/Tests/*Tests | sort -rn | sed 's|.*/||'
}

# Runs the tests of one target in a separate process. Prints one line, or the failures.
run_target() {
    local program=$1 logs=$2 target=$3 status=0
    "$program" --testing-library swift-testing --no-parallel --filter "^$target" "${@:4}" &>"$logs/$target.log" || status=$?
    # 69: there are no tests.
    if [ $status = 0 ] || [ $status = 69 ]; then
        printf '%s: %s\n' "$target" "$(grep -o 'Test run with .*' "$logs/$target.log" || echo no tests)"
        return
    fi
    sed -i 's/\x1b\[[0-9;]*m//g' "$logs/$target.log"
    {
        printf '%s: exit code %s (%s)\n' "$target" "$status" "$logs/$target.log"
        # Prints the line of a failure with the lines that explain it.
        awk '/^✘|: error:|Sanitizer/ { shown = 1 } /^(◇|✔)/ { shown = 0 } shown' "$logs/$target.log" | head -n 200
        grep -q ' Test run with ' "$logs/$target.log" || printf 'the run ended in: %s\n' "$(grep '^◇ Test' "$logs/$target.log" | tail -n 1)"
    } | tee "$logs/$target.failed"
}

# swift_tests FOLDER TARGETS [OPTION...]: runs the tests that were built in FOLDER, one target per core at a time.
# The tests of one target run one after another, because an exit test blocks a thread of Swift's pool. Failures are printed
# again at the end, because people see the end of a long log.
swift_tests() {
    local program=$1/debug/calotypePackageTests.xctest logs=$1/tests targets
    # The slowest target, which takes as long as all others together, in two halves by the names of its suites.
    targets=$(sed 's/^CalotypeCodecTests$/&.[A-L]\n&.[^A-L]/' <<<"$2")
    shift 2
    rm -rf "$logs" && mkdir -p "$logs"
    export -f run_target
    xargs -P "$(nproc)" -I{} bash -c 'run_target "$@"' _ "$program" "$logs" {} "$@" <<<"$targets"
    compgen -G "$logs/*.failed" >/dev/null || return 0
    say "what failed"
    cat "$logs"/*.failed >&2
    return 1
}
