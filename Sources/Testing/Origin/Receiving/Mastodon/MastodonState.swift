import CalotypeCodec
import CalotypeCore

/// The state of a simulated Mastodon server.
struct MastodonState: Sendable {
    struct Medium: Sendable {
        var record: Received.Mastodon.Medium
        let file: ReceivedFile
        let kind: MediumKind
        /// How many more polls report it as in processing.
        var pollsLeft: Int
        /// Whether it cannot be processed.
        let isBroken: Bool

        /// The status of the response to a poll: 206, 200 or 422.
        var status: Int { pollsLeft > 0 ? 206 : isBroken ? 422 : 200 }
    }

    /// The number of requests since a time.
    struct Window: Sendable {
        let start: Double
        var count: Int
    }

    private static let largestCount = 10_000
    private static let firstNumber = 113_000_000_000_000_001

    private(set) var media: [Medium] = []
    private(set) var statuses: [Received.Mastodon.Status] = []
    private var mediaIndices: [String: Int] = [:]
    private var keys: [String: Int] = [:]
    private var windows: [String: Window] = [:]

    var record: Received.Mastodon {
        Received.Mastodon(media: media.map(\.record), statuses: statuses)
    }

    /// Returns the medium with this number, attached or not, unless it was deleted.
    func medium(_ id: String) -> Medium? {
        mediaIndices[id].map { media[$0] }.flatMap { $0.record.deleted ? nil : $0 }
    }

    /// The number of the next medium.
    var nextMediumID: String { "\(Self.firstNumber + media.count)" }

    mutating func add(_ medium: Medium) throws(OriginError) {
        guard media.count < Self.largestCount else { throw .receiving(507, "There are too many media.") }
        mediaIndices[medium.record.id] = media.count
        media.append(medium)
    }

    mutating func change(_ id: String, _ change: (inout Medium) -> Void) {
        guard let index = mediaIndices[id] else { return }
        change(&media[index])
    }

    /// Returns the status with this number, unless it was deleted.
    func status(_ id: String) -> Received.Mastodon.Status? {
        statuses.first { $0.id == id && !$0.deleted }
    }

    /// Returns the status created under `key` within the last hour, unless it was deleted.
    mutating func repeated(_ key: String, at now: Double) -> Received.Mastodon.Status? {
        guard let index = keys[key], !statuses[index].deleted else { return nil }
        guard now - statuses[index].at < MastodonLimits.keyLifetime else { return nil }
        statuses[index].sends += 1
        return statuses[index]
    }

    /// Creates a status and attaches its media.
    mutating func add(
        _ make: (String) -> Received.Mastodon.Status
    ) throws(OriginError) -> Received.Mastodon.Status {
        guard statuses.count < Self.largestCount else {
            throw .receiving(507, "There are too many statuses.")
        }
        let status = make("\(Self.firstNumber + 1_000_000 + statuses.count)")
        if let key = status.key { keys[key] = statuses.count }
        for id in status.mediaIDs { change(id) { $0.record.attachedTo = status.id } }
        statuses.append(status)
        return status
    }

    mutating func deleteStatus(_ id: String) {
        guard let index = statuses.firstIndex(where: { $0.id == id }) else { return }
        statuses[index].deleted = true
    }

    /// Counts a request under `key`.
    ///
    /// Returns the number of requests in its window, and the window's end.
    mutating func count(_ key: String, seconds: Double, at now: Double) -> (count: Int, end: Double) {
        var window = windows[key] ?? Window(start: now, count: 0)
        if now >= window.start + seconds { window = Window(start: now, count: 0) }
        window.count += 1
        windows[key] = window
        return (window.count, window.start + seconds)
    }
}

/// The kind of a file, detected from its first bytes.
struct MediumKind: Sendable {
    /// How many of the first bytes to examine.
    static let prefixBytes = 1 << 20

    /// `image`, `gifv`, `video` or `audio`.
    let word: String
    /// The dimensions of an image in pixels.
    ///
    /// `nil` for other media, or if the first bytes do not contain them.
    let size: PixelSize?

    /// Examines the first bytes.
    ///
    /// Returns `nil` if no format matches.
    init?(_ prefix: [UInt8]) {
        // If it cannot be read, it is not an image.
        if let facts = try? ImageProbe.facts(fromPrefix: prefix, isComplete: prefix.count < Self.prefixBytes)
        {
            self.init(facts.format == .gif ? "gifv" : "image", facts.storedSize)
            guard facts.format != .tiff else { return nil }
        } else if prefix.dropFirst(4).starts(with: Array("ftyp".utf8)) {
            let isSound = prefix.dropFirst(8).starts(with: Array("M4A".utf8))
            self.init(isSound ? "audio" : "video", nil)
        } else if prefix.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) {
            self.init("video", nil)
        } else if Self.sounds.contains(where: { prefix.starts(with: $0) }) {
            self.init("audio", nil)
        } else {
            return nil
        }
    }

    private init(_ word: String, _ size: PixelSize?) {
        self.word = word
        self.size = size
    }

    var isOfTime: Bool { word == "video" || word == "audio" }

    private static let sounds: [[UInt8]] = [
        Array("OggS".utf8), Array("fLaC".utf8), Array("ID3".utf8), Array("RIFF".utf8), [0xff, 0xfb],
    ]
}
