internal import CalotypePlatform
internal import Synchronization

/// Says which seed ran when the process crashes.
enum CrashNotice {
    private static let seed = Atomic<UInt64>(0)
    // SAFETY: written once, before the first seed.
    private nonisolated(unsafe) static var name: [UInt8] = []

    static func install(_ scenario: String) {
        unsafe name = Array(" in the scenario '\(scenario)'\n".utf8)
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS, SIGALRM] { signal(number, notice) }
    }

    /// Notes the seed that is next; one that takes ten minutes, its shortening included, counts as a crash.
    static func tell(_ next: UInt64) {
        seed.store(next, ordering: .relaxed)
        alarm(600)
    }

    private static let notice: @convention(c) (Int32) -> Void = { number in
        say(Array("crashed with seed ".utf8))
        var digits: [UInt8] = []
        var rest = seed.load(ordering: .relaxed)
        repeat {
            digits.append(48 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        say(digits.reversed())
        unsafe say(name)
        signal(number, SIG_DFL)
        raise(number)
    }

    private static func say(_ text: [UInt8]) {
        _ = unsafe text.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
