import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import Dispatch

/// The `calotype` command, which connects the faces to the terminal.
@main
enum Main {
    static func main() async {
        DecoderWorker.serveIfAsked()
        MemoryArenas.limit()
        DescriptorLimit.raise()
        TerminalOutput.ignoreClosedPipes()
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        do {
            switch try CalotypeProgram.program.parse(
                arguments,
                columns: TerminalOutput.standardOutput.columns
            ) {
            case .show(let text):
                try TerminalOutput.standardOutput.write(text)
                return 0
            case .run(let command, let arguments):
                if let problem = StartMemory.problem(for: command) {
                    complain("calotype \(command): \(problem)\n")
                    return UsageError.exitCode
                }
                await SystemTimers.prepare()
                do {
                    return try await run(command, arguments)
                } catch is CancellationError {
                    // Ctrl-C is a key where a terminal's keys are read one by one.
                    guard let interruption = Interruption.received else {
                        return Interruption(signal: SIGINT).exitCode
                    }
                    complain(EnteredCommand.message(command))
                    return interruption.exitCode
                }
            }
        } catch let error as UsageError {
            complain(error.description)
            return UsageError.exitCode
        } catch let error as SystemError where error.code == EPIPE {
            // The reader of a pipe, such as `head`, has closed it.
            return 0
        } catch {
            complain("calotype: \(error)\n")
            return 1
        }
    }

    private static func run(_ command: String, _ arguments: ParsedArguments) async throws -> Int32 {
        switch command {
        case FetchCommand.command.name: try await FetchCommand.run(arguments)
        case DatasetCommand.command.name: try await DatasetCommand.run(arguments)
        case DatasetVerifyCommand.command.name: try DatasetVerifyCommand.run(arguments)
        case DatasetStatsCommand.command.name: try DatasetStatsCommand.run(arguments)
        case DatasetPlanCommand.command.name: try await DatasetPlanCommand.run(arguments)
        case DatasetGarbageCommand.command.name: try DatasetGarbageCommand.run(arguments)
        case WorkerCommand.command.name: try await WorkerCommand.run(arguments)
        case InfoCommand.command.name: try await InfoCommand.run(arguments)
        case ThumbCommand.command.name: try await ThumbCommand.run(arguments)
        case AppStoreSearchCommand.command.name: try await AppStoreSearchCommand.run(arguments)
        case AppStoreShowCommand.command.name: try await AppStoreShowCommand.run(arguments)
        case AlbumCommand.command.name: try await AlbumCommand.run(arguments)
        case RobotCommand.command.name: try await RobotCommand.run(arguments)
        case WallCommand.command.name: try await WallCommand.run(arguments)
        case PublishCommand.command.name: try await PublishCommand.run(arguments)
        case PublishListCommand.command.name: try await PublishListCommand.run(arguments)
        case PublishSettleCommand.command.name: try await PublishSettleCommand.run(arguments)
        case PublishGarbageCommand.command.name: try await PublishGarbageCommand.run(arguments)
        case SignCommand.command.name: try await SignCommand.run(arguments)
        case CacheCommand.command.name: try await CacheCommand.run(arguments)
        case StateCommand.command.name: try StateCommand.run(arguments)
        case ServeCommand.command.name: try await ServeCommand.run(arguments)
        case OriginCommand.command.name: try await OriginCommand.run(arguments)
        default: preconditionFailure("no such command: \(command)")
        }
    }

    /// Prints text on standard error, with the passwords removed from URLs; ignores a closed standard error.
    static func complain(_ text: String) {
        try? TerminalOutput.standardError.write(URLCredentials.removed(in: text))
    }
}

/// The check that a command gets the memory it takes before its own limits apply.
///
/// Without memory, libraries and Swift itself end the process with a backtrace. So this reserves it at the
/// start, when the command can still report the reason.
enum StartMemory {
    /// The address space of threads, libraries and buffers of a command that loads many images at a time.
    ///
    /// In addition to what the program itself takes, `fetch` begins to crash below 120 MB, and below 200 MB
    /// with large images.
    private static let many = ByteCount.mebibytes(320)
    /// The address space for commands that load one image or none; they begin to crash at 140 MB.
    private static let few = ByteCount.mebibytes(192)

    private static let modest: Set<String> = [
        InfoCommand.command.name, ThumbCommand.command.name, RobotCommand.command.name,
        CacheCommand.command.name, StateCommand.command.name, PublishListCommand.command.name,
        PublishSettleCommand.command.name,
        PublishGarbageCommand.command.name,
    ]

    /// Returns why `command` cannot start; `nil` if it can.
    static func problem(for command: String) -> String? {
        // Signing needs only a few bytes.
        guard command != SignCommand.command.name else { return nil }
        let need = modest.contains(command) ? few : many
        guard !isGiven(need) else { return nil }
        var limit = rlimit()
        let isLimited =
            unsafe getrlimit(Platform.addressSpaceLimit, &limit) == 0
            && limit.rlim_cur <= rlim_t(Int.max)
        let allowed =
            isLimited ? "; the limit is \(ByteCount(Int(clamping: limit.rlim_cur))) in total (ulimit -v)" : ""
        return
            "not enough memory to start: \(need) more of address space is needed\(allowed); raise the limit"
    }

    /// Whether the system grants this much address space, which is released immediately.
    private static func isGiven(_ size: ByteCount) -> Bool {
        // `MAP_NORESERVE` tests the limits of the process, not the machine's free memory.
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let start = unsafe mmap(nil, size.bytes, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let start = unsafe start, unsafe start != UnsafeMutableRawPointer(bitPattern: -1) else {
            return false
        }
        unsafe munmap(start, size.bytes)
        return true
    }
}

/// The descriptors that libdispatch and Swift's clocks use for as long as the process lives.
///
/// The system creates them at the first use. If no descriptor is free then, libdispatch ends the process, or
/// timers never fire. So a program creates them at the start.
private enum SystemTimers {
    /// Fires each kind of timer once, which takes a millisecond.
    static func prepare() async {
        async let continuous: ()? = try? ContinuousClock().sleep(for: .microseconds(100))
        async let suspending: ()? = try? SuspendingClock().sleep(for: .microseconds(100))
        await withCheckedContinuation { fired in
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now())
            timer.setEventHandler {
                timer.cancel()
                fired.resume()
            }
            timer.resume()
        }
        _ = await (continuous, suspending)
    }
}
