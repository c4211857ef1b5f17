import CalotypeCore
import SamplePictures
import TaskFlow

/// Pictures for texts, asked for as from Robohash.
enum RobotService {
    static let lengths = 1...1024
    /// The ends that make Robohash answer in another format than PNG.
    private static let otherFormats = [".jpg", ".jpeg", ".bmp"]

    private static let kinds: [String: RobotPicture.Kind] = [
        "set1": .robot, "set2": .monster, "set3": .head, "set4": .kitten, "set5": .human,
    ]
    private static let backdrops: [String: RobotPicture.Backdrop] = ["bg1": .plain, "bg2": .rings]

    static let picture: @Sendable (Call) async throws -> ServedPicture = { call in
        let robot = try robot(call)
        return try await call.site.drawing.run {
            ServedPicture(bytes: PNGFile.bytes(of: robot.draw()), mediaType: ImageFormat.png.mediaType)
        }
    }

    /// The end of the name counts to the text, as it does at Robohash.
    private static func robot(_ call: Call) throws -> RobotPicture {
        let text = call.values["NAME"] ?? ""
        guard !text.isEmpty else {
            throw Refusal(status: 400, message: "A text is missing: /robots/TEXT.png")
        }
        guard !otherFormats.contains(where: { text.lowercased().hasSuffix($0) }) else {
            throw Refusal(status: 400, message: "Robots are PNG: /robots/TEXT.png")
        }
        return RobotPicture(
            text: text,
            kind: try choice("set", call, kinds) ?? .robot,
            backdrop: try choice("bgset", call, backdrops) ?? .none,
            size: try size(call)
        )
    }

    /// The one that the query names; `any` lets the text choose.
    private static func choice<Value>(
        _ name: String,
        _ call: Call,
        _ choices: [String: Value]
    ) throws -> Value? {
        guard let word = call.request.query(name) else { return nil }
        let names = choices.keys.sorted()
        var random = SeededRandom(seed: 7, text: name + (call.values["NAME"] ?? ""))
        let index = Int(random.next() % UInt64(names.count))
        if let value = choices[word == "any" ? names[index] : word] { return value }
        throw Refusal(status: 400, message: "\(name) is one of \(names.joined(separator: ", ")), any.")
    }

    private static func size(_ call: Call) throws -> PixelSize {
        guard let text = call.request.query("size") else { return PixelSize(width: 300, height: 300) }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], lengths.contains(width),
            lengths.contains(height)
        else {
            let range = "\(lengths.lowerBound) to \(lengths.upperBound)"
            throw Refusal(status: 400, message: "size is WIDTHxHEIGHT, each \(range).")
        }
        return PixelSize(width: width, height: height)
    }
}
