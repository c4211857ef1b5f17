import Calotype
import CalotypeBulk
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeHTTP
import CalotypePlatform
import TaskFlow

/// `calotype dataset`: makes a dataset of shards from a list of image URLs.
enum DatasetCommand {
    static let command = Command(
        "dataset",
        summary: "download and resize a list of images into shards for training",
        discussion: [
            """
            INPUT is a list of image URLs: a file, a folder of files, a pattern such as 'lists/*.csv', or - for \
            standard input. OUTPUT is a folder or s3://BUCKET/PREFIX. Each line of the list is a sample, except blank lines and lines \
            of a txt list that start with #. The options and the output are those of img2dataset, so its readers work unchanged.
            """,
            """
            A shard appears in the folder only when it is complete: 00000.tar, its metadata with the failures, \
            and 00000_stats.json last. Run the same command again to continue after an interruption; images \
            that were downloaded are not downloaded again.
            """,
            """
            With s3://, each shard is uploaded when it is complete and never replaces another object. The keys are \
            those of publish: CALOTYPE_ACCESS_KEY and CALOTYPE_SECRET_KEY, or the variables of AWS's tools. \
            AWS_ENDPOINT_URL names another server than AWS; so does s3+https://SERVER/BUCKET/PREFIX.
            """,
        ],
        operands: .init("INPUT OUTPUT", count: 1...2),
        groups: [
            DatasetCommandOptions.input, DatasetCommandOptions.output, DatasetCommandOptions.picture,
            DatasetCommandOptions.network, MannersOptions.strictGroup, DatasetCommandOptions.run,
        ],
        exclusive: [["quiet", "progress"]],
        examples: [
            .init("Make shards of 256 by 256 pixels", "calotype dataset urls.txt shards"),
            .init(
                "Keep the aspect ratio and cut to squares of 224 pixels",
                "calotype dataset urls.txt shards --image-size 224 --resize-mode center_crop"
            ),
            .init("Upload the shards to a bucket", "calotype dataset urls.txt s3://pictures/cats"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let display = FetchDisplay(command.name, arguments, nil)
        do {
            let settings = try settings(arguments)
            let bucket = try DatasetBucket(arguments.operands.last ?? "", arguments)
            let run = try await withInterruption(onSignal: display.interrupt) {
                guard let bucket else { return try await perform(settings, display) }
                return try await bucket.withStore(settings.configuration.transport) { store in
                    var settings = settings
                    settings.options.store = store
                    // For aborting uploads at the server.
                    settings.options.grace = .seconds(1)
                    return try await perform(settings, display)
                }
            }
            let code = await display.end(run.result)
            if let reason = run.result.ending.reason, arguments[FetchOptionsGroup.quiet] {
                Main.complain("calotype dataset: \(reason)\n")
            }
            return code
        } catch let error as BulkError {
            Main.complain("calotype dataset: \(error.description)\n")
            return UsageError.exitCode
        } catch is CancellationError {
            guard let interruption = Interruption.received else { throw CancellationError() }
            return interruption.exitCode
        }
    }

    private static func perform(_ settings: Settings, _ display: FetchDisplay) async throws -> RunSummary {
        let options = settings.options
        return try await withImagePipeline(settings.configuration) { pipeline in
            let job = DatasetJob(
                options,
                pipeline: pipeline,
                onEvent: display.show,
                onAbandon: display.abandon
            )
            guard let manners = options.manners else { return try await job.run() }
            return try await manners.following(in: pipeline) { try await job.run() }
        }
    }

    /// The pipeline's configuration and the options, with the manners that both share.
    typealias Settings = (configuration: PipelineConfiguration, options: DatasetOptions)

    static func settings(_ arguments: ParsedArguments) throws -> Settings {
        var options = try DatasetCommandOptions.options(arguments)
        var configuration = try FetchOptionsGroup.configuration(arguments)
        configuration.connections = DatasetCommandOptions.connections(arguments)
        let manners = MannersOptions.manners(
            arguments,
            followsRobots: !arguments[MannersOptions.noRobots],
            for: configuration
        )
        options.manners = manners
        manners.apply(to: &configuration)
        return (configuration, options)
    }
}
