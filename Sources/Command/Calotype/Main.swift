import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import Glibc

/// The `calotype` command: wires the faces to the terminal.
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
                return try await run(command, arguments)
            }
        } catch let error as UsageError {
            complain(error.description)
            return UsageError.exitCode
        } catch let error as OutputError where error.isClosedPipe {
            // The reader of a pipe such as `calotype info … | head` has seen enough.
            return 0
        } catch {
            complain("calotype: \(error)\n")
            return 1
        }
    }

    private static func run(_ command: String, _ arguments: ParsedArguments) async throws -> Int32 {
        switch command {
        case FetchCommand.command.name: try await FetchCommand.run(arguments)
        case InfoCommand.command.name: try await InfoCommand.run(arguments)
        case ThumbCommand.command.name: try await ThumbCommand.run(arguments)
        case AppsSearchCommand.command.name: try await AppsSearchCommand.run(arguments)
        case AppsShowCommand.command.name: try await AppsShowCommand.run(arguments)
        case AlbumCommand.command.name: try await AlbumCommand.run(arguments)
        case RobotCommand.command.name: try await RobotCommand.run(arguments)
        case WallCommand.command.name: try await WallCommand.run(arguments)
        case PublishCommand.command.name: try await PublishCommand.run(arguments)
        case PublishListCommand.command.name: try await PublishListCommand.run(arguments)
        case PublishSettleCommand.command.name: try await PublishSettleCommand.run(arguments)
        case PublishGarbageCommand.command.name: try await PublishGarbageCommand.run(arguments)
        case SignCommand.command.name: try await SignCommand.run(arguments)
        case CacheCommand.command.name: try await CacheCommand.run(arguments)
        case ServeCommand.command.name: try await ServeCommand.run(arguments)
        case OriginCommand.command.name: try await OriginCommand.run(arguments)
        default: preconditionFailure("no such command: \(command)")
        }
    }

    /// Says something on standard error, without the passwords of URLs; where that is closed there is nobody to tell.
    static func complain(_ text: String) {
        try? TerminalOutput.standardError.write(URLCredentials.removed(in: text))
    }
}
