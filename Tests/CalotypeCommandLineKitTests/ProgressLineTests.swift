import CalotypeCommandLineKit
import CalotypeFiles
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProgressLineTests {
    private static func frame(_ number: Int) -> ProgressFrame {
        ProgressFrame(parts: ["\(number)/9", "3 failed"], fraction: 0.5, json: "{\"n\":\(number)}")
    }

    @Test func `a terminal's line is redrawn at most ten times a second and taken away at the end`() async {
        let file = OutputFile()
        let clock = StillClock()
        let line = ProgressLine(output: file.output, style: .terminal, clock: clock)
        for number in 0..<5 {
            await line.show(Self.frame(number))
            clock.move(milliseconds: 50)
        }
        await line.message("careful")
        await line.finish()
        let bar = "[==========          ]  "
        #expect(
            file.text
                == "\r\(bar)0/9  3 failed\u{1B}[K\r\(bar)2/9  3 failed\u{1B}[K\r\(bar)4/9  3 failed\u{1B}[K"
                + "\r\u{1B}[Kcareful\n\r\(bar)4/9  3 failed\u{1B}[K\r\u{1B}[K"
        )
    }

    @Test func `elsewhere it is plain lines, none in a short run`() async {
        let file = OutputFile()
        let clock = StillClock()
        let line = ProgressLine(output: file.output, clock: clock)
        for number in 0..<25 {
            await line.show(Self.frame(number))
            clock.move(milliseconds: 1000)
        }
        await line.finish()
        #expect(
            file.text == "[==========          ]  10/9  3 failed\n[==========          ]  20/9  3 failed\n"
        )
    }

    @Test func `programs get objects, and always the last`() async {
        let file = OutputFile()
        let line = ProgressLine(output: file.output, style: .json, clock: StillClock())
        await line.show(Self.frame(1))
        await line.show(Self.frame(2))
        await line.message("take \"care\"")
        await line.finish(Self.frame(3))
        let message = #"{"event":"message","message":"take \"care\""}"#
        #expect(file.text == "{\"n\":1}\n\(message)\n{\"n\":3}\n")
    }

    @Test func `a closed pipe is an error of a write and no end of the process`() async {
        TerminalOutput.ignoreClosedPipes()
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let output = TerminalOutput(descriptor: ends[1])
        let error = #expect(throws: SystemError.self) { try output.write("x") }
        #expect(error?.code == EPIPE)
        let line = ProgressLine(output: output, style: .json)
        await line.show(Self.frame(1))
    }
}

@Suite(.serialized, .timeLimit(.minutes(1)))
struct SignalTests {
    @Test func `a signal cancels the work and is told`() async throws {
        let told = Atomic<Int32>(0)
        let onSignal: @Sendable (Int32) async -> Void = { number in
            told.store(Task.isCancelled ? -1 : number, ordering: .relaxed)
        }
        let (result, number) = try await withInterruption(by: [SIGUSR1], onSignal: onSignal) {
            kill(getpid(), SIGUSR1)
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
            return Task.isCancelled
        }
        #expect(result && number == SIGUSR1 && told.load(ordering: .relaxed) == SIGUSR1)
    }

    @Test func `work that ends by itself was not interrupted`() async throws {
        let (result, number) = try await withInterruption(by: [SIGUSR2]) { 7 }
        #expect(result == 7 && number == nil)
    }

    @Test func `a second signal ends the process at once`() async {
        await #expect(processExitsWith: .exitCode(130)) {
            _ = try await withInterruption(by: [SIGINT]) {
                kill(getpid(), SIGINT)
                while !Task.isCancelled { await Task.yield() }
                kill(getpid(), SIGINT)
                await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
            }
        }
    }
}
