import CalotypeCore
import CalotypeSamplePictures

/// Generated pictures for texts, with the URLs of Robohash.
enum RobotService {
    static let picture: @Sendable (Call) async throws -> ServedPicture = { call in
        let settings = RobotSettings(call)
        let format = try format(settings.text, call.site)
        let robot = try settings.robot()
        let key = "robot \(robot.size) \(robot.kind) \(robot.backdrop) \(robot.text)"
        return try await call.site.drawn(key, format) { robot.draw() }
    }

    /// The extension chooses the format.
    ///
    /// It also counts as part of the text, as at Robohash.
    private static func format(_ text: String, _ site: Site) throws(OriginError) -> ImageFormat {
        guard !text.isEmpty else {
            throw OriginError.refusal(status: 400, message: "A text is missing: /robots/TEXT.png")
        }
        let end = text.split(separator: ".").last.map { $0.lowercased() } ?? ""
        switch text.contains(".") ? end : "" {
        case "jpg", "jpeg":
            if site.drawnFormats.contains(.jpeg) { return .jpeg }
            throw OriginError.refusal(
                status: 400,
                message: "Robots are only available as PNG: /robots/TEXT.png"
            )
        case "bmp":
            throw OriginError.refusal(
                status: 400,
                message: "Robots are only available as PNG: /robots/TEXT.png"
            )
        default: return .png
        }
    }
}

/// The settings in a robot's path and query.
///
/// `/set_set4/size_50x50/TEXT` is equivalent to `/TEXT?set=set4&size=50x50`.
private struct RobotSettings {
    private static let lengths = 1...1024
    private static let names = ["set", "bgset", "size"]
    private static let kinds: [String: RobotPicture.Kind] = [
        "set1": .robot, "set2": .monster, "set3": .head, "set4": .kitten, "set5": .human,
    ]
    private static let backdrops: [String: RobotPicture.Backdrop] = ["bg1": .plain, "bg2": .rings]

    let text: String
    private var settings: [String: String] = [:]

    init(_ call: Call) {
        var parts = (call.values["NAME"] ?? "").split(separator: "/", omittingEmptySubsequences: false)[...]
        while parts.count > 1, let part = parts.first,
            let name = Self.names.first(where: { part.hasPrefix($0 + "_") })
        {
            settings[name] = String(part.dropFirst(name.utf8.count + 1))
            parts = parts.dropFirst()
        }
        text = parts.joined(separator: "/")
        for name in Self.names { settings[name] = call.request.query(name) ?? settings[name] }
    }

    func robot() throws(OriginError) -> RobotPicture {
        RobotPicture(
            text: text,
            kind: try choice("set", Self.kinds) ?? .robot,
            backdrop: try choice("bgset", Self.backdrops) ?? .none,
            size: try size()
        )
    }

    /// Returns the choice in the settings; `any` lets the text choose.
    private func choice<Value>(_ name: String, _ choices: [String: Value]) throws(OriginError) -> Value? {
        guard let word = settings[name] else { return nil }
        let names = choices.keys.sorted()
        var random = SeededRandom(seed: 7, text: name + text)
        let index = Int(random.next() % UInt64(names.count))
        if let value = choices[word == "any" ? names[index] : word] { return value }
        throw OriginError.refusal(
            status: 400,
            message: "\(name) must be one of \(names.joined(separator: ", ")), any."
        )
    }

    private func size() throws(OriginError) -> PixelSize {
        guard let text = settings["size"] else { return PixelSize(width: 300, height: 300) }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], Self.lengths.contains(width),
            Self.lengths.contains(height)
        else {
            let range = "\(Self.lengths.lowerBound) to \(Self.lengths.upperBound)"
            throw OriginError.refusal(status: 400, message: "size must be WIDTHxHEIGHT, each \(range).")
        }
        return PixelSize(width: width, height: height)
    }
}
