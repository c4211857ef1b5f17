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
        ],
        groups: ServerSettings.groups.map { .init($0.title, $0.settings.map(\.declaration)) },
        examples: [
            .init("For one machine", "calotype serve --cache /var/cache/calotype"),
            .init("In a container", "CALOTYPE_BIND=:8080 CALOTYPE_KEY=... CALOTYPE_SALT=... calotype serve"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        var configuration = try configuration(arguments)
        let trace: TraceFile?
        do {
            trace = try configuration.traceFile.map { try TraceFile(path: $0, command: "serve") }
            defer { trace?.finish() }
            configuration.onNotice = { Main.complain("calotype serve: \($0)\n") }
            try await serve(configuration, trace?.recorder)
            return 0
        } catch is CancellationError {
            return 0
        } catch let error as CalotypeError {
            Main.complain("calotype serve: \(error)\n")
        } catch let error as FetchSetupError {
            Main.complain("calotype serve: \(error)\n")
        } catch let error as SystemError {
            Main.complain("calotype serve: \(error)\n")
        }
        return UsageError.exitCode
    }

    private static func configuration(_ arguments: ParsedArguments) throws -> ServerConfiguration {
        let options = ServerSettings.all.compactMap { setting in
            setting.text(in: arguments).map { (name: setting.name, text: $0) }
        }
        do throws(SettingProblem) {
            let told = try ServerSettings.configuration(
                options: options,
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

    private static func serve(_ configuration: ServerConfiguration, _ trace: TraceRecorder?) async throws {
        let running = Latch<RunningServer>()
        _ = try await withInterruption { _ in
            await running.value?.drain()
        } _: {
            try await withThumbnailServer(configuration, recordingTo: trace) { server in
                let host = server.host.contains(":") ? "[\(server.host)]" : server.host
                try TerminalOutput.standardOutput.write("listening on http://\(host):\(server.port)\n")
                if configuration.isUnsigned { Main.complain(unsigned) }
                running.set(server)
                // Until the interruption.
                while true { try await Task.sleep(for: .seconds(3600)) }
            }
        }
    }

    private static let unsigned = """
        calotype serve: WARNING: no key is set, so that paths are UNSIGNED: whoever reaches this server can have it load \
        and make any picture. Set --key and --salt.

        """
}
