internal import CalotypeCore
import CalotypeFiles

/// Applies the options of one path, including those of presets.
struct OptionRun: Sendable {
    private let configuration: PathConfiguration
    private let now: Int
    private(set) var draft: ThumbnailDraft
    /// Whether an option depends on the current time.
    private(set) var heedsTime = false
    private var count = 0
    /// The presets being applied, outermost first.
    private var open: [String] = []

    init(_ configuration: PathConfiguration, now: Int, hints: ClientHints) {
        self.configuration = configuration
        self.now = now
        draft = ThumbnailDraft(configuration.defaults, hints)
    }

    /// Applies the preset that every path uses.
    mutating func begin() throws(ServerError) {
        if configuration.presets["default"] != nil { try apply(preset: "default") }
    }

    /// Applies all segments that are options.
    ///
    /// The first other segment starts the source.
    mutating func apply(_ segments: inout PathSegments) throws(ServerError) {
        if let first = segments.peek(), ResizingType(rawValue: String(first)) != nil {
            throw .invalid(
                "/\(first)/WIDTH/HEIGHT/... is imgproxy's old URL format; use rs:\(first):WIDTH:HEIGHT"
            )
        }
        while let segment = segments.peek(),
            let option = OptionArguments(segment, separator: configuration.argumentsSeparator)
        {
            _ = segments.next()
            try apply(option)
        }
    }

    /// Applies the presets that `segment` names.
    mutating func applyPresets(_ segment: Substring, isSeparated: Bool = true) throws(ServerError) {
        let names =
            isSeparated
            ? OptionArguments.parts(segment, configuration.argumentsSeparator) : [String(segment)]
        for name in names { try apply(preset: name) }
    }

    /// Applies the extension after the source.
    mutating func applyFormat(_ name: String) throws(ServerError) {
        try draft.apply(.format, OptionArguments(name: "extension", [name]), now: now)
    }

    private mutating func apply(_ option: OptionArguments) throws(ServerError) {
        count += 1
        guard count <= configuration.maximumOptions else {
            throw .invalid("the path has more than \(configuration.maximumOptions) options")
        }
        let name = try Self.name(of: option)
        try admit(name, option)
        if name == .expires { heedsTime = true }
        guard name == .preset else { return try draft.apply(name, option, now: now) }
        for name in option.all { try apply(preset: name) }
    }

    private static func name(of option: OptionArguments) throws(ServerError) -> OptionName {
        if let name = OptionName(name: option.name) { return name }
        if OptionName.unsupportedNames.contains(option.name) {
            throw .unsupported("the option '\(option.name)' is")
        }
        let hint = NearestName.hint(option.name, in: OptionName.allNames)
        throw .invalid("unknown option \(ServerError.quoted(option.name))\(hint)")
    }

    /// Refuses options that a path may not use.
    ///
    /// Presets are exempt, because the server defines them.
    private func admit(_ name: OptionName, _ option: OptionArguments) throws(ServerError) {
        if name.isSecurity, !configuration.allowsSecurityOptions {
            throw .forbidden(
                "the option '\(option.name)' changes a limit of the server, which is not allowed"
            )
        }
        guard open.isEmpty, let allowed = configuration.allowedOptions, !allowed.contains(name) else {
            return
        }
        throw .forbidden("the option '\(option.name)' is not allowed on this server")
    }

    private mutating func apply(preset name: String) throws(ServerError) {
        guard let options = configuration.presets[name] else {
            throw .invalid("unknown preset \(ServerError.quoted(name))")
        }
        // A preset that uses itself is not applied again.
        guard !open.contains(name) else { return }
        draft.thumbnail.presets.append(name)
        open.append(name)
        for option in options { try apply(option) }
        open.removeLast()
    }
}
