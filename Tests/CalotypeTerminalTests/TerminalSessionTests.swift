import CalotypeCommandLineKit
import CalotypeCore
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeTerminal

@Suite(.serialized, .timeLimit(.minutes(1)))
struct TerminalSessionTests {
    private static let entering = String(decoding: ScreenModes.entering, as: UTF8.self)
    private static let leaving = String(decoding: ScreenModes.leaving, as: UTF8.self)

    @Test func `the screen is ours in the scope and given back after it`() async throws {
        let terminal = try Pseudoterminal()
        let modes = terminal.modes
        let raw = try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
            #expect(
                session.size == ScreenSize(columns: 40, rows: 10, cellWidthPixels: 10, cellHeightPixels: 20)
            )
            var frame = Frame(session.size)
            frame.write("Hello", row: 2, column: 3)
            session.show(frame)
            try await session.flush()
            try await terminal.output(until: "\u{1B}[3;4HHello")
            return terminal.modes
        }
        let written = try await terminal.output(until: Self.leaving)
        #expect(written.hasPrefix(Self.entering))
        #expect(written.hasSuffix(Self.leaving))
        #expect(raw[2] & UInt32(ICANON | ECHO) == 0)
        #expect(raw[2] & UInt32(ISIG) != 0)
        #expect(terminal.modes == modes)
        await terminal.end()
    }

    @Test func `keys come one by one, the Escape key after a while`() async throws {
        let terminal = try Pseudoterminal()
        let keys = try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
            try await terminal.output(until: Self.entering)
            terminal.type("a\u{1B}[Aé\u{1B}")
            var keys: [KeyPress] = []
            for try await event in session.events {
                if case .key(let key) = event { keys.append(key) }
                if keys.last == .escape { break }
            }
            return keys
        }
        #expect(keys == [.character("a"), .up, .character("é"), .escape])
        await terminal.end()
    }

    @Test func `more keys than anybody reads wait in the terminal, and none is lost`() async throws {
        let terminal = try Pseudoterminal()
        let count = try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
            try await terminal.output(until: Self.entering)
            terminal.type(String(repeating: "j", count: 1_000) + "q")
            var count = 0
            for try await event in session.events {
                guard event != .key(.character("q")) else { break }
                count += event == .key(.character("j")) ? 1 : 0
            }
            return count
        }
        #expect(count == 1_000)
        await terminal.end()
    }

    @Test func `a cancelled reader ends immediately and the terminal is given back`() async throws {
        let terminal = try Pseudoterminal()
        let modes = terminal.modes
        let task = Task {
            try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
                for try await _ in session.events {}
            }
        }
        try await terminal.output(until: Self.entering)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await terminal.output(until: Self.leaving)
        #expect(terminal.modes == modes)
        await terminal.end()
    }

    @Test func `what the body throws comes out after the terminal was given back`() async throws {
        struct Odd: Error {}
        let terminal = try Pseudoterminal()
        let modes = terminal.modes
        await #expect(throws: Odd.self) {
            try await withTerminal(input: terminal.slave, output: terminal.slave) { _ in throw Odd() }
        }
        try await terminal.output(until: Self.leaving)
        #expect(terminal.modes == modes)
        await terminal.end()
    }

    @Test func `a new size is reported and the frame is redrawn for it`() async throws {
        let terminal = try Pseudoterminal()
        try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
            var frame = Frame(session.size)
            frame.write("bottom", row: 9, column: 0)
            frame.write("top", row: 0, column: 0)
            session.show(frame)
            try await terminal.output(until: "bottom")
            terminal.resize(columns: 30, rows: 8)
            kill(getpid(), SIGWINCH)
            var events = session.events.makeAsyncIterator()
            let event = try await events.next()
            let size = ScreenSize(columns: 30, rows: 8, cellWidthPixels: 10, cellHeightPixels: 20)
            #expect(event == .resized(size))
            #expect(session.size == size)
            let written = try await terminal.output(until: "top", times: 2)
            #expect(
                written.hasSuffix("\u{1B}[?2026h\u{1B}[0m\u{1B}[2J\u{1B}[1;1Htop")
                    || written.contains("top\u{1B}")
            )
        }
        await terminal.end()
    }

    @Test func `a slow terminal gets the newest frame, and holds up neither the caller nor the end`()
        async throws
    {
        let terminal = try Pseudoterminal(columns: 200, rows: 100)
        let written = try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
            for number in 0..<200 {
                var frame = Frame(session.size)
                for row in 0..<100 {
                    frame.write(String(repeating: "\(number % 10)", count: 200), row: row, column: 0)
                }
                session.show(frame)
            }
            return session.framesWritten
        }
        // Nobody reads: the kernel keeps some kilobytes, less than one frame.
        #expect(written == 0)
        await terminal.end()
    }

    @Test func `a terminal that takes frames again shows the last`() async throws {
        let terminal = try Pseudoterminal(columns: 200, rows: 100)
        try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
            for number in 0..<50 {
                var frame = Frame(session.size)
                let text = String(repeating: number == 49 ? "#" : "\(number % 10)", count: 200)
                for row in 0..<100 { frame.write(text, row: row, column: 0) }
                session.show(frame)
            }
            async let all = terminal.output(until: String(repeating: "#", count: 200), times: 100)
            try await session.flush()
            _ = try await all
            #expect(session.framesWritten < 50)
        }
        await terminal.end()
    }

    @Test func `the Escape key counts also while frames are shown without a pause`() async throws {
        let terminal = try Pseudoterminal()
        let task = Task {
            try await withTerminal(input: terminal.slave, output: terminal.slave) {
                session -> TerminalEvent? in
                let drawing = Task {
                    while !Task.isCancelled {
                        session.redraw()
                        session.show(Frame(session.size))
                        try await session.flush()
                    }
                }
                defer { drawing.cancel() }
                for try await event in session.events { return event }
                return nil
            }
        }
        try await terminal.output(until: Self.entering)
        terminal.type("\u{1B}")
        try await terminal.output(until: Self.leaving)
        let event = try await task.value
        #expect(event == .key(.escape))
        await terminal.end()
    }

    @Test func `kitty's pictures are deleted at the end`() async throws {
        let terminal = try Pseudoterminal()
        try await withTerminal(input: terminal.slave, output: terminal.slave) { session in
            var frame = Frame(session.size)
            frame.place(SampleFrames.picture(.kitty, columns: 4, rows: 2, number: 1), row: 1, column: 1)
            session.show(frame)
            try await terminal.output(until: "C=1\u{1B}\\")
        }
        let written = try await terminal.output(until: Self.leaving)
        #expect(written.hasSuffix(KittyImage.deletionOfAll + Self.leaving))
        await terminal.end()
    }

    @Test func `a terminal that has gone ends the session with an error`() async throws {
        let terminal = try Pseudoterminal()
        let copy = unsafe open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        let codes = try await withTerminal(input: copy, output: copy) { session in
            try await terminal.output(until: Self.entering)
            await terminal.end()
            let read = await code { for try await _ in session.events {} }
            session.show(Frame(session.size))
            return [read, await code { try await session.flush() }]
        }
        #expect(codes == [.terminalLost, .terminalLost])
        close(copy)
    }

    @Test func `a pipe is no terminal`() async throws {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        let (input, output) = (ends[0], ends[1])
        let refusal = await code { try await withTerminal(input: input, output: output) { _ in } }
        #expect(refusal == .noTerminal)
        for end in ends { close(end) }
    }

    private func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do { try await body() } catch { return (error as? CalotypeError)?.code }
        return nil
    }

    @Test func `handlers of signals are as before`() async throws {
        let numbers = [SIGWINCH, SIGTSTP, SIGCONT, SIGSEGV, SIGTERM, SIGHUP]
        let before = numbers.map(handler)
        let terminal = try Pseudoterminal()
        try await withTerminal(input: terminal.slave, output: terminal.slave) { _ in
            #expect(handler(of: SIGWINCH) != before[0])
        }
        #expect(numbers.map(handler) == before)
        await terminal.end()
    }

    private func handler(of number: Int32) -> Int {
        var action = sigaction()
        _ = unsafe sigaction(number, nil, &action)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }
}
