import CalotypeApp
import CalotypeBulk
import CalotypeCore
import CalotypeServer
import CommandLineKit
import TaskFlow

/// `calotype serve`: thumbnails over HTTP.
enum ServeCommand {
    static let command = Command(
        "serve",
        summary: "serve thumbnails over HTTP, with imgproxy's URLs and signatures",
        discussion: [
            """
            The first line on standard output is 'listening on http://HOST:PORT'. Paths are those of imgproxy, such as \
            /SIGNATURE/rs:fill:300:200/plain/https://example.com/photo.jpg@webp; calotype sign makes signed ones. Without a \
            key paths are not signed, and whoever reaches the server may have it load any public picture.
            """,
            """
            Every option is also a variable: --allow-private is CALOTYPE_ALLOW_PRIVATE. Variables of imgproxy (IMGPROXY_TTL) \
            are heeded where they mean something here; those that do not are named at the start. An option counts before a \
            variable of our own, and that before one of imgproxy's.
            """,
            """
            /health tells that it runs, /metrics what it does (for Prometheus), /info/SIGNATURE/... what a picture is. SIGTERM and \
            SIGINT let answers under way come to an end; a second one ends it at once.
            """,
            """
            With --app there is a web app below /app/: search, albums, walls of pictures, publishing, and a timeline of all that \
            the server does.
            """,
        ],
        groups: ServerSettings.groups.map { .init($0.title, $0.settings.map(\.declaration)) }
            + [.init(AppSettings.group.title, AppSettings.group.settings.map(\.declaration))],
        examples: [
            .init("For one machine", "calotype serve --cache /var/cache/calotype"),
            .init("With the web app", "calotype serve --app --cache /var/cache/calotype"),
            .init("In a container", "CALOTYPE_BIND=:8080 CALOTYPE_KEY=... CALOTYPE_SALT=... calotype serve"),
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
        } catch let error as CalotypeError {
            Main.complain("calotype serve: \(error)\n")
        } catch let error as FetchSetupError {
            Main.complain("calotype serve: \(error)\n")
        } catch let error as SystemError {
            Main.complain("calotype serve: \(error)\n")
        }
        return UsageError.exitCode
    }

    private static func configuration(_ arguments: ParsedArguments) throws(UsageError) -> ServerConfiguration
    {
        do throws(SettingProblem) {
            let told = try ServerSettings.configuration(
                options: given(ServerSettings.all, in: arguments),
                environment: EnvironmentVariables.all
            )
            if !told.unknown.isEmpty {
                Main.complain(
                    "calotype serve: without meaning here: \(told.unknown.joined(separator: ", "))\n"
                )
            }
            return told.configuration
        } catch {
            throw UsageError(error.description, program: "calotype", command: "serve")
        }
    }

    private static func appOptions(
        _ arguments: ParsedArguments,
        _ server: ServerConfiguration
    ) throws(UsageError) -> AppOptions {
        do throws(SettingProblem) {
            let options = try AppSettings.options(
                given(AppSettings.all, in: arguments),
                environment: EnvironmentVariables.all
            )
            try options.check(with: server)
            return options
        } catch {
            throw UsageError(error.description, program: "calotype", command: "serve")
        }
    }

    private static func given<Target>(
        _ settings: [Setting<Target>],
        in arguments: ParsedArguments
    ) -> [(name: String, text: String)] {
        settings.compactMap { setting in setting.text(in: arguments).map { (setting.name, $0) } }
    }

    /// What the app may do, where it is asked for.
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
            // Interrupted, as a server is meant to end.
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
            // Until the interruption.
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
        guard let app else { return }
        let token = app.token == nil ? "" : "; it asks for the token"
        Main.complain("calotype serve: the app is at http://\(host):\(server.port)/app/\(token)\n")
    }

    private static let unsigned = """
        calotype serve: WARNING: no key is set, so that paths are UNSIGNED: whoever reaches this server can have it load \
        and make any picture. Set --key and --salt.

        """
}
