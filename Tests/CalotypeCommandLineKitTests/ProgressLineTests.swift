import CalotypeCommandLineKit
import CalotypeFiles
import CalotypePlatform
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
    @Test func `a signal cancels the work and is reported`() async throws {
        let told = Atomic<Int32>(0)
        let onSignal: @Sendable (Interruption) async -> Void = { interruption in
            told.store(Task.isCancelled ? -1 : interruption.signal, ordering: .relaxed)
        }
        let (result, interruption) = try await withInterruption(by: [SIGUSR1], onSignal: onSignal) {
            kill(getpid(), SIGUSR1)
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
            return Task.isCancelled
        }
        #expect(result && interruption?.signal == SIGUSR1 && told.load(ordering: .relaxed) == SIGUSR1)
    }

    @Test func `work that ends by itself was not interrupted`() async throws {
        let (result, interruption) = try await withInterruption(by: [SIGUSR2]) { 7 }
        #expect(result == 7 && interruption == nil)
    }

    @Test(arguments: [(SIGHUP, 129), (SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `cancelled work has received the signal, whose exit code is that of a shell`(
        _ signal: Int32,
        _ code: Int32
    ) async {
        await #expect(processExitsWith: .exitCode(code)) { [signal = signal as Int32] in
            do {
                _ = try await withInterruption {
                    kill(getpid(), signal)
                    try await Task.sleep(for: .seconds(60))
                }
            } catch is CancellationError {
                exit(Interruption.received?.exitCode ?? 1)
            }
        }
    }

    @Test func `a failure after a signal stays that failure`() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            _ = try await withInterruption(by: [SIGUSR1]) {
                kill(getpid(), SIGUSR1)
                while !Task.isCancelled { await Task.yield() }
                throw Failure()
            }
        }
    }

    @Test func `SIGHUP stays ignored, as nohup asks`() async {
        await #expect(processExitsWith: .exitCode(0)) {
            _ = signal(SIGHUP, SIG_IGN)
            let run = try await withInterruption {
                kill(getpid(), SIGHUP)
                try await Task.sleep(for: .milliseconds(1))
            }
            exit(run.interruption == nil ? 0 : 1)
        }
    }

    @Test func `a second signal ends the process immediately`() async {
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
