import CalotypeCommandLineKit
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeTerminal

/// A process of its own dies in each way; the terminal is as it was.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct WaysOutTests {
    private static let entering = String(decoding: ScreenModes.entering, as: UTF8.self)
    private static let leaving = String(decoding: ScreenModes.leaving, as: UTF8.self)

    @Test(arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGTERM, SIGHUP, SIGINT, SIGQUIT])
    func `a signal that ends the process gives the terminal back`(number: Int32) async throws {
        let terminal = try Pseudoterminal()
        let modes = terminal.modes
        let path = terminal.path
        await #expect(processExitsWith: .signal(number)) {
            [path = path as String, number = number as Int32] in
            Self.leaveNoCore()
            try await Self.withTerminal(at: path) { session in
                session.show(Frame(session.size))
                try await session.flush()
                kill(getpid(), number)
                for try await _ in session.events {}
            }
        }
        let written = try await terminal.output(until: Self.leaving)
        #expect(written.hasPrefix(Self.entering))
        #expect(terminal.modes == modes)
        await terminal.end()
    }

    @Test func `a trap of our own gives the terminal back`() async throws {
        let terminal = try Pseudoterminal()
        let modes = terminal.modes
        let path = terminal.path
        await #expect(processExitsWith: .failure) { [path = path as String] in
            Self.leaveNoCore()
            try await Self.withTerminal(at: path) { _ in
                let none: [Int] = []
                print(none[none.count + 1])
            }
        }
        try await terminal.output(until: Self.leaving)
        #expect(terminal.modes == modes)
        await terminal.end()
    }

    @Test func `a second interruption ends the process immediately and gives the terminal back`() async throws
    {
        let terminal = try Pseudoterminal()
        let modes = terminal.modes
        let path = terminal.path
        await #expect(processExitsWith: .exitCode(143)) { [path = path as String] in
            _ = try await withInterruption {
                try await Self.withTerminal(at: path) { _ in
                    kill(getpid(), SIGINT)
                    // Another thread may take two pending signals in either order.
                    while !Task.isCancelled { await Task.yield() }
                    kill(getpid(), SIGTERM)
                    // Deaf to cancellation.
                    await Latch<Void>().waitUncancelled()
                }
            }
        }
        try await terminal.output(until: Self.leaving)
        #expect(terminal.modes == modes)
        await terminal.end()
    }

    @Test func `Ctrl-Z restores the terminal until the process continues`() async throws {
        let terminal = try Pseudoterminal()
        let modes = terminal.modes
        let path = terminal.path
        async let stopped: Void = {
            try await terminal.output(until: "pid:")
            let digits = try await terminal.output(until: ";pid").drop { $0 != ":" }.dropFirst().prefix {
                $0.isNumber
            }
            // Never 0, which would be the tests themselves.
            let number = try #require(Int32(digits))
            kill(number, SIGTSTP)
            try await terminal.output(until: Self.leaving)
            // It stops behind that with the modes given back, and is not woken before; where no shell could wake it (an orphaned
            // process group) it goes on at once.
            try await terminal.output(until: Self.entering, times: 2) {
                if terminal.modes == modes { kill(number, SIGCONT) }
            }
            try await terminal.output(until: ";pid", times: 2)
            #expect(terminal.modes != modes)
            terminal.type("q")
        }()
        await #expect(processExitsWith: .success) { [path = path as String] in
            try await Self.withTerminal(at: path) { session in
                var frame = Frame(session.size)
                frame.write("pid:\(getpid());pid", row: 0, column: 0)
                session.show(frame)
                for try await event in session.events where event == .key(.character("q")) { return }
            }
        }
        try await stopped
        try await terminal.output(until: Self.leaving, times: 2)
        #expect(terminal.modes == modes)
        await terminal.end()
    }

    private static func withTerminal(
        at path: String,
        _ body: (TerminalSession) async throws -> Void
    ) async throws {
        let descriptor = unsafe open(path, O_RDWR | O_NOCTTY)
        try await CalotypeTerminal.withTerminal(input: descriptor, output: descriptor, body)
    }

    private static func leaveNoCore() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
