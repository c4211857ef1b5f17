import CommandLineKit

// How paths are read.
extension ServerSettings {
    static let paths: [ServerSetting] = [
        ServerSetting(
            "key",
            .hexadecimals,
            \.signing.keys,
            default: "none",
            imgproxy: "KEY",
            help:
                "The key that paths are signed with, in hexadecimal; several, for a change of keys, with commas between."
        ).hidden,
        ServerSetting(
            "salt",
            .hexadecimals,
            \.signing.salts,
            default: "none",
            imgproxy: "SALT",
            help: "The salt of the key, in hexadecimal; one for each key."
        ).hidden,
        ServerSetting(
            "signature-size",
            .integer(1...32),
            \.signing.size,
            imgproxy: "SIGNATURE_SIZE",
            help: "How many bytes of a signature are used."
        ),
        ServerSetting(
            "trusted-signatures",
            .words("LIST"),
            \.signing.trusted,
            default: "none",
            imgproxy: "TRUSTED_SIGNATURES",
            help: "Texts that pass in the place of any signature, with commas between them."
        ).hidden,
        ServerSetting(
            "path-prefix",
            .text("PATH"),
            default: "none",
            imgproxy: "PATH_PREFIX",
            help: "What all paths begin with."
        ) { text, configuration in
            let path = text.split(separator: "/").joined(separator: "/")
            configuration.paths.prefix = path.isEmpty ? "" : "/" + path
        },
        ServerSetting(
            "arguments-separator",
            .text("TEXT"),
            \.paths.argumentsSeparator,
            imgproxy: "ARGUMENTS_SEPARATOR",
            help: "What stands between an option's name and its arguments."
        ),
        ServerSetting(
            "presets",
            .text("LIST"),
            default: "none",
            imgproxy: "PRESETS",
            help: "Options under names, such as thumb=rs:fill:256:256/q:70, with commas between them."
        ) { text, configuration throws(ValueProblem) in
            try sense { () throws(PathConfigurationError) in
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
            help: "A file of presets, one a line."
        ) { path, configuration throws(ValueProblem) in
            let text = try SettingText.contents(of: path)
            try sense { () throws(PathConfigurationError) in
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
            help: "Paths have names of presets in the place of options."
        ),
        ServerSetting(
            "allowed-options",
            .words("LIST"),
            default: "all",
            imgproxy: "ALLOWED_PROCESSING_OPTIONS",
            help: "The options that paths may have, with commas between them; presets may have others."
        ) { words, configuration throws(ValueProblem) in
            var names: Set<OptionName> = []
            for word in words {
                guard let name = OptionName(name: word) else {
                    throw ValueProblem("names '\(word)', which is no option of paths")
                }
                names.insert(name)
            }
            configuration.paths.allowedOptions = names
        },
        ServerSetting(
            switch: "allow-security-options",
            \.paths.allowsSecurityOptions,
            imgproxy: "ALLOW_SECURITY_OPTIONS",
            help: "Let paths change the limits of sources and results."
        ),
        ServerSetting(
            switch: "base64-url-includes-filename",
            \.paths.base64IncludesFileName,
            imgproxy: "BASE64_URL_INCLUDES_FILENAME",
            help: "The last segment of a source in Base64 is a file name that means nothing."
        ),
    ]
}
