import Calotype
import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeHTTP
import CalotypePlatform
import TaskFlow

/// `calotype worker`: makes shards of a plan for another program.
enum WorkerCommand {
    private static let slots = Option(
        "slots",
        .integer(1...1024),
        default: "as many as have 80,000 samples",
        "Number of shards to ask for at a time."
    )
    private static let scratch = Option(
        "scratch",
        .text("FOLDER"),
        "Folder on a local disk for unfinished shards, so that they do not load the shared one."
    )
    private static let token = Option(
        "token",
        .text("NAME"),
        """
        Check that this file is in DIR/.calotype, where the program that hands out the work has put it, which \
        shows that both see the same folder.
        """
    )

    static let command = Command(
        "worker",
        summary: "make shards of a planned dataset, as another program says",
        discussion: [
            """
            DIR has a plan made by dataset plan. Orders arrive on standard input and reports leave on standard \
            output, as JSON objects on lines. A worker fetches only while the last lease order is valid, and ends \
            with its input. docs/scale.md describes the lines.
            """
        ],
        operands: .init("DIR", count: 1...1),
        groups: [.init("Worker", [slots, scratch, token])],
        examples: [
            .init("Check that a worker starts", #"echo '{"op":"drain"}' | calotype worker planned"#)
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let folder = arguments.operands[0]
        do {
            let plan = try DatasetPlan(path: folder)
            if let token = arguments[token] {
                guard !token.contains("/"), unsafe access("\(folder)/.calotype/\(token)", F_OK) == 0 else {
                    throw BulkError(
                        "\(folder) is not the folder that the driver sees; all machines must share it"
                    )
                }
            }
            let words = ["dataset", "-", folder] + plan.words
            guard case .run(_, let planned) = try CalotypeProgram.program.parse(words) else {
                throw BulkError("the plan of \(folder) has options that start nothing")
            }
            let (configuration, options) = try DatasetCommand.settings(planned)
            _ = try await withInterruption {
                try await withImagePipeline(configuration) { pipeline in
                    let worker = DatasetWorker(
                        options,
                        plan,
                        pipeline: pipeline,
                        scratch: arguments[scratch],
                        slots: arguments[slots],
                        version: CalotypeProgram.version
                    )
                    let run = { try await worker.run(from: STDIN_FILENO, to: STDOUT_FILENO) }
                    guard let manners = options.manners else { return try await run() }
                    try await manners.following(in: pipeline) { try await run() }
                }
            }
            return 0
        } catch let error as BulkError {
            Main.complain("calotype worker: \(error.description)\n")
            return UsageError.exitCode
        }
    }
}
