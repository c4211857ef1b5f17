internal import CalotypeCore
import CalotypeFiles

/// The options of one path as they are applied, those of presets included.
struct OptionRun: Sendable {
    private let configuration: PathConfiguration
    private let now: Int
    private(set) var draft: ThumbnailDraft
    /// Whether an option means something else at another time.
    private(set) var heedsTime = false
    private var count = 0
    /// The presets that are being applied, outermost first.
    private var open: [String] = []

    init(_ configuration: PathConfiguration, now: Int, hints: ClientHints) {
        self.configuration = configuration
        self.now = now
        draft = ThumbnailDraft(configuration.defaults, hints)
    }

    /// Applies the preset that holds for every path.
    mutating func begin() throws(ServerError) {
        if configuration.presets["default"] != nil { try apply(preset: "default") }
    }

    /// Applies all segments that are options; the first that is none begins the source.
    mutating func apply(_ segments: inout PathSegments) throws(ServerError) {
        if let first = segments.peek(), ResizingType(rawValue: String(first)) != nil {
            throw .invalid(
                "/\(first)/WIDTH/HEIGHT/... is the old grammar of imgproxy; write rs:\(first):WIDTH:HEIGHT"
            )
        }
        while let segment = segments.peek(),
            let option = OptionArguments(segment, separator: configuration.argumentsSeparator)
        {
            _ = segments.next()
            try apply(option)
        }
    }

    /// Applies the presets whose names are in `segment`.
    mutating func applyPresets(_ segment: Substring, isSeparated: Bool = true) throws(ServerError) {
        let names =
            isSeparated
            ? OptionArguments.parts(segment, configuration.argumentsSeparator) : [String(segment)]
        for name in names { try apply(preset: name) }
    }

    /// Applies what an extension behind the source says.
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
        throw .invalid("there is no option \(ServerError.quoted(option.name))\(hint)")
    }

    /// Refuses options that a path may not have; presets are the server's own words.
    private func admit(_ name: OptionName, _ option: OptionArguments) throws(ServerError) {
        if name.isSecurity, !configuration.allowsSecurityOptions {
            throw .forbidden(
                "the option '\(option.name)' changes a limit of the server, which it does not allow"
            )
        }
        guard open.isEmpty, let allowed = configuration.allowedOptions, !allowed.contains(name) else {
            return
        }
        throw .forbidden("the option '\(option.name)' is not among those that the server allows")
    }

    private mutating func apply(preset name: String) throws(ServerError) {
        guard let options = configuration.presets[name] else {
            throw .invalid("there is no preset \(ServerError.quoted(name))")
        }
        // One that uses itself has no more to say the second time.
        guard !open.contains(name) else { return }
        draft.order.presets.append(name)
        open.append(name)
        for option in options { try apply(option) }
        open.removeLast()
    }
}
