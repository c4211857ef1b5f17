import CalotypeCommandLineKit
import CalotypeServer

// The format of paths.
extension ServerSettings {
    static let paths: [ServerSetting] = [
        ServerSetting(
            "key",
            .hexadecimals,
            \.signing.keys,
            default: "none",
            imgproxy: "KEY",
            help:
                "Key that signs URLs, in hexadecimal. To change keys, give several, separated by commas."
        ).hidden,
        ServerSetting(
            "salt",
            .hexadecimals,
            \.signing.salts,
            default: "none",
            imgproxy: "SALT",
            help: "Salt for the key, in hexadecimal; one for each key."
        ).hidden,
        ServerSetting(
            "signature-size",
            .integer(1...32),
            \.signing.size,
            imgproxy: "SIGNATURE_SIZE",
            help: "Number of signature bytes to use."
        ),
        ServerSetting(
            "trusted-signatures",
            .words("LIST"),
            \.signing.trusted,
            default: "none",
            imgproxy: "TRUSTED_SIGNATURES",
            help: "Comma-separated texts that are accepted instead of a signature."
        ).hidden,
        ServerSetting(
            "path-prefix",
            .text("PATH"),
            default: "none",
            imgproxy: "PATH_PREFIX",
            help: "Prefix of all paths."
        ) { text, configuration in
            let path = text.split(separator: "/").joined(separator: "/")
            configuration.paths.prefix = path.isEmpty ? "" : "/" + path
        },
        ServerSetting(
            "arguments-separator",
            .text("TEXT"),
            \.paths.argumentsSeparator,
            imgproxy: "ARGUMENTS_SEPARATOR",
            help: "Separator between an option's name and its arguments."
        ),
        ServerSetting(
            "presets",
            .text("LIST"),
            default: "none",
            imgproxy: "PRESETS",
            help: "Comma-separated presets: names for options, such as thumb=rs:fill:256:256/q:70."
        ) { text, configuration throws(UsageError) in
            try sense { () throws(ServerError) in
                try configuration.paths.presets.add(
                    text,
                    argumentsSeparator: configuration.paths.argumentsSeparator
                )
            }
        },
        ServerSetting(
            "presets-path",
            .text("FILE"),
            default: "none",
            imgproxy: "PRESETS_PATH",
            help: "File with presets, one per line."
        ) { path, configuration throws(UsageError) in
            let text = try SettingText.contents(of: path)
            try sense { () throws(ServerError) in
                try configuration.paths.presets.add(
                    linesOf: text,
                    argumentsSeparator: configuration.paths.argumentsSeparator
                )
            }
        },
        ServerSetting(
            switch: "only-presets",
            \.paths.onlyPresets,
            imgproxy: "ONLY_PRESETS",
            help: "Paths contain names of presets instead of options."
        ),
        ServerSetting(
            "allowed-options",
            .words("LIST"),
            default: "all",
            imgproxy: "ALLOWED_PROCESSING_OPTIONS",
            help: "Comma-separated options that paths may use; presets may use others."
        ) { words, configuration throws(UsageError) in
            var names: Set<OptionName> = []
            for word in words {
                guard let name = OptionName(name: word) else {
                    throw UsageError("names '\(word)', which is not an option of paths")
                }
                names.insert(name)
            }
            configuration.paths.allowedOptions = names
        },
        ServerSetting(
            switch: "allow-security-options",
            \.paths.allowsSecurityOptions,
            imgproxy: "ALLOW_SECURITY_OPTIONS",
            help: "Allow paths to change the limits of sources and results."
        ),
        ServerSetting(
            switch: "base64-url-includes-filename",
            \.paths.base64IncludesFileName,
            imgproxy: "BASE64_URL_INCLUDES_FILENAME",
            help: "The last segment of a Base64 source is a file name, which is ignored."
        ),
    ]
}
