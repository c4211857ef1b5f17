import Calotype
import CalotypeApp
import CalotypeBulk
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeServer
import CalotypeServerSettings
import TaskFlow

/// `calotype serve`: serves thumbnails over HTTP.
enum ServeCommand {
    static let command = Command(
        "serve",
        summary: "serve thumbnails over HTTP, with imgproxy's URLs and signatures",
        discussion: [
            """
            The first line on standard output is 'listening on http://HOST:PORT'. URLs are those of \
            imgproxy, such as /SIGNATURE/rs:fill:300:200/plain/https://example.com/photo.jpg@webp; calotype \
            sign creates signed ones. Without a key, URLs are unsigned and anyone who can reach the server \
            can make it load any public image.
            """,
            """
            Every option is also an environment variable: --allow-private is CALOTYPE_ALLOW_PRIVATE. \
            imgproxy's variables, such as IMGPROXY_TTL, are supported where they apply; unsupported ones are \
            listed at startup. Options override CALOTYPE_ variables, and those override imgproxy's.
            """,
            """
            /health shows whether the server is running, /metrics what it is doing (for Prometheus), and \
            /info/SIGNATURE/... describes an image. SIGTERM, SIGINT and SIGHUP finish requests in progress \
            and exit with 0; a second signal exits immediately.
            """,
            """
            --app adds a web app below /app/: search, albums, walls of images, publishing, and a timeline of \
            everything that the server does.
            """,
        ],
        groups: ServerSettings.groups.map { .init($0.title, $0.settings.map(\.declaration)) }
            + [.init(AppSettings.group.title, AppSettings.group.settings.map(\.declaration))],
        exitCodes: [CalotypeProgram.stopped],
        examples: [
            .init("Serve this machine only", "calotype serve --cache /var/cache/calotype"),
            .init("Serve the web app too", "calotype serve --app --cache /var/cache/calotype"),
            .init(
                "Serve from a container",
                "CALOTYPE_BIND=:8080 CALOTYPE_KEY=... CALOTYPE_SALT=... calotype serve"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        var configuration = try configuration(arguments)
        let options = try appOptions(arguments, configuration)
        let trace: TraceFile?
        do {
            let app = try app(options, configuration)
            trace = try configuration.traceFile.map { try TraceFile(path: $0) }
            configuration.onNotice = { Main.complain("calotype serve: \($0)\n") }
            return try await serve(configuration, app, trace)
        } catch let error as ServerError {
            let hint = error.code == .tooFewDescriptors ? " (--max-clients, --connections)" : ""
            Main.complain("calotype serve: \(error)\(hint)\n")
        } catch let error as CalotypeError {
            Main.complain("calotype serve: \(error)\n")
        } catch let error as BulkError {
            Main.complain("calotype serve: \(error)\n")
        } catch let error as SystemError {
            Main.complain("calotype serve: \(error)\n")
        }
        return UsageError.exitCode
    }

    private static func configuration(_ arguments: ParsedArguments) throws(UsageError) -> ServerConfiguration
    {
        do throws(UsageError) {
            let told = try ServerSettings.configuration(
                options: given(ServerSettings.all, in: arguments),
                environment: EnvironmentVariables.all
            )
            if !told.unknown.isEmpty {
                Main.complain(
                    "calotype serve: unsupported settings: \(told.unknown.joined(separator: ", "))\n"
                )
            }
            return told.configuration
        } catch {
            throw UsageError(error.message, program: "calotype", command: "serve")
        }
    }

    private static func appOptions(
        _ arguments: ParsedArguments,
        _ server: ServerConfiguration
    ) throws(UsageError) -> AppOptions {
        do throws(UsageError) {
            let options = try AppSettings.options(
                given(AppSettings.all, in: arguments),
                environment: EnvironmentVariables.all
            )
            try options.check(with: server)
            return options
        } catch {
            throw UsageError(error.message, program: "calotype", command: "serve")
        }
    }

    private static func given<Target>(
        _ settings: [Setting<Target>],
        in arguments: ParsedArguments
    ) -> [(name: String, text: String)] {
        settings.compactMap { setting in setting.text(in: arguments).map { (setting.name, $0) } }
    }

    /// Returns the app's options, if the app is enabled.
    private static func app(
        _ options: AppOptions,
        _ server: ServerConfiguration
    ) throws(CalotypeError) -> AppConfiguration? {
        guard options.isOn else { return nil }
        var app = try options.configuration(with: server, environment: EnvironmentVariables.all)
        app.version = CalotypeProgram.version
        return app
    }

    private static func serve(
        _ configuration: ServerConfiguration,
        _ app: AppConfiguration?,
        _ trace: TraceFile?
    ) async throws -> Int32 {
        do {
            try await serve(configuration, app, recordingTo: trace?.recorder)
        } catch is CancellationError {
            // A server runs until it is stopped, so this is its normal end. systemd and container runtimes count
            // any exit code but 0 as a failure, 143 too.
        }
        guard let problem = trace?.finish() else { return 0 }
        Main.complain("calotype serve: \(problem)\n")
        return 1
    }

    private static func serve(
        _ configuration: ServerConfiguration,
        _ app: AppConfiguration?,
        recordingTo trace: TraceRecorder?
    ) async throws {
        let running = Latch<RunningServer>()
        let body: @Sendable (RunningServer) async throws -> Void = { server in
            try greet(server, configuration, app)
            running.set(server)
            // Runs until it is interrupted.
            while true { try await Task.sleep(for: .seconds(3600)) }
        }
        _ = try await withInterruption { _ in
            await running.value?.drain()
        } _: {
            if let app {
                try await withAppServer(app, on: configuration, recordingTo: trace, body)
            } else {
                try await withThumbnailServer(configuration, recordingTo: trace, body)
            }
        }
    }

    private static func greet(
        _ server: RunningServer,
        _ configuration: ServerConfiguration,
        _ app: AppConfiguration?
    ) throws {
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        try TerminalOutput.standardOutput.write("listening on http://\(host):\(server.port)\n")
        if let port = server.metricsPort, let address = configuration.metricsAddress {
            let host = address.host.contains(":") ? "[\(address.host)]" : address.host
            Main.complain("calotype serve: metrics are at http://\(host):\(port)/metrics\n")
        }
        if configuration.isUnsigned { Main.complain(unsigned) }
        if configuration.pipeline.codec.isolation != .none {
            for part in DecoderWorker.missingProtection {
                Main.complain("calotype serve: separate processes for decoding: \(part) on this system\n")
            }
        }
        guard let app else { return }
        let token = app.token == nil ? "" : "; it requires the token"
        Main.complain("calotype serve: the app is at http://\(host):\(server.port)/app/\(token)\n")
    }

    private static let unsigned = """
        calotype serve: WARNING: no key is set, so URLs are UNSIGNED. Anyone who can reach this server can \
        make it load any public image. Set --key and --salt.

        """
}
