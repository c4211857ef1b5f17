import CommandLineKit

/// The program as declared: help, the manual page and the parser come from here.
enum CalotypeProgram {
    static let version = "0.1.0"

    static let program = Program(
        "calotype",
        version: version,
        summary: "turn image URLs into the pictures people need",
        discussion: [
            """
            Calotype fetches pictures, many at a time, and makes right-sized ones of them: upright, in sRGB, without \
            metadata. What fails is reported with a stable word and a reason; what is interrupted leaves nothing \
            half-done behind.
            """
        ],
        commands: [
            FetchCommand.command, InfoCommand.command, ThumbCommand.command, AppsSearchCommand.command,
            AppsShowCommand.command, AlbumCommand.command, RobotCommand.command, WallCommand.command,
            PublishCommand.command, PublishListCommand.command, PublishSettleCommand.command,
            PublishGarbageCommand.command, ServeCommand.command, SignCommand.command, CacheCommand.command,
            OriginCommand.command,
        ],
        exitCodes: [
            .init("0", "All went well."),
            .init(
                "1",
                """
                Some items failed; the report says which and why. Or something that was asked for could not be written, or is \
                gone. A post is not published, and can be resumed.
                """
            ),
            .init("2", "The arguments make no sense, or the run could not begin."),
            .init("3", "Nothing succeeded."),
            .init("4", "A post is published, but that could not be written down."),
            .init("130", "Interrupted."),
        ],
        environment: [
            CatalogOptions.environment,
            .init("XDG_CACHE_HOME", "Where what comes from the network is kept (~/.cache)."),
            .init(
                "XDG_STATE_HOME",
                "Where fetch remembers what an output folder holds, and publish what it has begun (~/.local/state)."
            ),
            .init(
                "XDG_CONFIG_HOME",
                "Where the profiles of publish are, calotype/profiles.json (~/.config)."
            ),
            .init("CALOTYPE_TOKEN", "The token for Mastodon, plain and tus servers."),
            .init(
                "CALOTYPE_USER, CALOTYPE_PASSWORD",
                "The user of WordPress and an application password; also for plain and tus servers."
            ),
            .init(
                "CALOTYPE_ACCESS_KEY, CALOTYPE_SECRET_KEY, CALOTYPE_SESSION_TOKEN, CALOTYPE_REGION",
                "The keys of S3; else AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION."
            ),
            .init(
                "CALOTYPE_KEY, CALOTYPE_SALT",
                "What sign signs with, in hexadecimal digits; else IMGPROXY_KEY and IMGPROXY_SALT."
            ),
            .init("TMPDIR", "Where large sources wait for their decode, in unnamed files (/tmp)."),
        ]
    )
}
