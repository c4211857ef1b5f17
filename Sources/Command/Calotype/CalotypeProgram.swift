import CalotypeCommandLineKit

/// The declaration of the program, from which help, the manual page and the parser are made.
enum CalotypeProgram {
    static let version = "0.1.0"

    /// The exit code of commands that run until they are stopped.
    static let stopped = Program.Definition(
        "0",
        """
        Stopped by a signal, which is the normal end. A second signal exits immediately, with one of the codes \
        below.
        """
    )

    static let program = Program(
        "calotype",
        version: version,
        summary: "download, resize, serve and publish images",
        discussion: [
            """
            Calotype downloads images, many at a time, and resizes and converts them. Results are upright, \
            in sRGB and without metadata. Each failure is reported with a stable error code and a reason. An \
            interrupted command leaves nothing half-done behind.
            """
        ],
        commands: [
            FetchCommand.command, DatasetCommand.command, DatasetVerifyCommand.command,
            DatasetStatsCommand.command, DatasetPlanCommand.command, DatasetGarbageCommand.command,
            WorkerCommand.command, InfoCommand.command, ThumbCommand.command,
            AppStoreSearchCommand.command, AppStoreShowCommand.command, AlbumCommand.command,
            RobotCommand.command, WallCommand.command, PublishCommand.command, PublishListCommand.command,
            PublishSettleCommand.command, PublishGarbageCommand.command, ServeCommand.command,
            SignCommand.command, CacheCommand.command, StateCommand.command, OriginCommand.command,
        ],
        exitCodes: [
            .init("0", "Success."),
            .init(
                "1",
                """
                Some items failed; the report shows which and why. Or some output could not be written, or \
                has disappeared.
                """
            ),
            .init("2", "The arguments are invalid, or the run could not start."),
            .init("3", "Nothing succeeded."),
            .init(
                "129, 130, 143",
                """
                Interrupted by SIGHUP (the terminal was closed), SIGINT (Ctrl-C) or SIGTERM. Work in progress \
                is cancelled, and what is complete is kept. A second signal exits immediately.
                """
            ),
        ],
        environment: [
            CatalogOptions.environment,
            .init("XDG_CACHE_HOME", "Where data from the network is cached. Default: ~/.cache."),
            .init(
                "XDG_STATE_HOME",
                """
                Where fetch records what an output folder contains, and publish keeps its journal. Default: \
                ~/.local/state.
                """
            ),
            .init(
                "XDG_CONFIG_HOME",
                "Where publish looks for its profiles, calotype/profiles.json. Default: ~/.config."
            ),
            .init("CALOTYPE_TOKEN", "Token for Mastodon, plain and tus servers."),
            .init(
                "CALOTYPE_USER, CALOTYPE_PASSWORD",
                "WordPress user and application password; also for plain and tus servers."
            ),
            .init(
                "CALOTYPE_ACCESS_KEY, CALOTYPE_SECRET_KEY, CALOTYPE_SESSION_TOKEN, CALOTYPE_REGION",
                """
                S3 keys and region. If not set: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN \
                and AWS_REGION.
                """
            ),
            .init(
                "CALOTYPE_KEY, CALOTYPE_SALT",
                "Key and salt for sign, in hexadecimal. If not set: IMGPROXY_KEY and IMGPROXY_SALT."
            ),
            .init(
                "http_proxy, https_proxy, no_proxy",
                """
                HTTP proxies for http and https URLs, and the hosts, domains and networks to reach without \
                one, separated by commas. HTTPS_PROXY and NO_PROXY work too. --proxy takes precedence.
                """
            ),
            .init("TMPDIR", "Where large sources wait to be decoded, in unnamed files. Default: /tmp."),
        ]
    )
}
