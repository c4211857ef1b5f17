import CalotypeHTTPMessages

/// A fault for requests to a path below `/publish-faults/FAULT`.
///
/// Such a prefix serves as the address of a receiver, which then has this fault and no other.
struct PublishFault: Sendable {
    /// The kinds of faults.
    enum Kind: Hashable, Sendable {
        /// Responds with this status immediately, without reading the body.
        case status(Int)
        /// Responds with 429 and the number of seconds to wait before the next attempt.
        case rateLimited(seconds: Int)
        /// Responds with 413 immediately to every request with a body.
        case tooLong
        /// Closes the connection after this part of the body.
        case cut(percent: Int)
        /// Stops reading after half of the body.
        case stall
        /// Reads bodies at this rate.
        case slow(bytesPerSecond: Int)
        /// Delays the response.
        case latency(milliseconds: Int)
        /// Closes the connection instead of responding.
        case lostAnswer
        /// Ignores idempotency keys.
        case noKeys
        /// Reports a conflict, with a wrong offset.
        case conflict
        /// Reports that another client is writing.
        case locked
        /// Removes the upload after the beginning of its first piece, and responds with 410.
        case expired
        /// Removes the upload after the beginning of its first piece, and responds with 404.
        case gone
        /// Loses some of the received bytes.
        case rewind
        /// Reports more bytes than were received.
        case beyond
        /// Locates the upload at another host.
        case otherHost
        /// Sends the upload's location as a whole URL.
        case absolute
        /// Reports media as in processing for this number of polls.
        case processing(polls: Int)
        /// Reports that processing the media failed.
        case processingFailed
        /// Reports media as in processing when a status attaches them.
        case notReady
        /// Has no version 2 of the API.
        case noVersion2
        /// Cannot delete media.
        case noDelete
        /// Accepts no more than this many media in this time.
        case rate(count: Int, seconds: Int)
    }

    static let prefix = "/publish-faults"

    /// The description of each word, for readers.
    static let help: [(word: String, meaning: String)] = [
        (
            "STATUS, STATUS:N",
            """
            This status, 400 to 599, for all or for the first N requests, sent immediately without reading \
            the body.
            """
        ),
        ("429:SECONDS", "Too many requests; Retry-After or X-RateLimit-Reset says when to try again."),
        ("early-413", "413 for every request with a body, before the body is read."),
        ("cut:PERCENT", "Receives PERCENT of the body, then closes the connection."),
        ("stall", "Receives half of the body, then stops reading; the connection stays open for up to 30 s."),
        ("slow:BYTES_PER_S", "Reads bodies at this rate."),
        ("latency:MS", "Responds after MS milliseconds."),
        ("lost-answer", "Does what was requested, then closes the connection without a response."),
        ("no-keys", "Ignores Idempotency-Key."),
        ("409, locked", "tus: 409 for PATCH, or 423 for PATCH and HEAD, although nothing is wrong."),
        (
            "expired, gone",
            "tus: an upload accepts half of its first PATCH, and then no longer exists: 410 or 404."
        ),
        ("rewind", "tus: the first PATCH is cut off, and half of what arrived is then lost."),
        ("beyond", "tus: the returned offset is beyond the end of the upload."),
        ("other-host, absolute", "tus: Location names localhost, or is an absolute URL."),
        ("202:N", "Mastodon: media are reported as processing until the client has asked N times."),
        ("processing-failed", "Mastodon: media are processed for a while, and then processing fails."),
        ("not-ready", "Mastodon: a status is refused because its media are still processing."),
        ("rate:N:SECONDS", "Mastodon: more than N media in SECONDS get 429."),
        ("no-v2, no-delete", "Mastodon: an older server, without /api/v2, or without DELETE for media."),
        (
            "FAULT:N",
            """
            Only the first N requests for each method and path have the fault. Without N, a fault that would \
            block a client forever affects only the first.
            """
        ),
        ("FAULT@WORD", "Only requests with this method, or with this word in their path, have the fault."),
        ("FAULT,FAULT", "Several faults."),
    ]

    let kind: Kind
    /// How many requests of each method and path it affects; `nil` for all.
    let count: Int?
    /// A method, or a part of the path, of the affected requests; `nil` for all.
    let word: String?

    /// Parses faults separated by commas.
    ///
    /// Returns `nil` if one of them is invalid.
    static func list(parsing text: String) -> [PublishFault]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let faults = parts.compactMap { PublishFault(parsing: $0) }
        return faults.count == parts.count ? faults : nil
    }

    /// Returns whether it applies to a request.
    func concerns(_ method: String, _ path: String) -> Bool {
        guard let word else { return true }
        return method == word || path.contains(word)
    }
}

extension PublishFault {
    /// The word of a fault, the number of its arguments, and how often it strikes by default.
    private struct Form {
        let numbers: Int
        let count: Int?
        let kind: @Sendable ([Int]) -> Kind

        init(_ numbers: Int = 0, count: Int? = nil, _ kind: @escaping @Sendable ([Int]) -> Kind) {
            self.numbers = numbers
            self.count = count
            self.kind = kind
        }
    }

    private static let forms: [String: Form] = [
        "429": Form(1, count: 1) { .rateLimited(seconds: $0[0]) },
        "early-413": Form { _ in .tooLong },
        "cut": Form(1, count: 1) { .cut(percent: min($0[0], 100)) },
        "stall": Form(count: 1) { _ in .stall },
        "slow": Form(1) { .slow(bytesPerSecond: max($0[0], 1)) },
        "latency": Form(1) { .latency(milliseconds: $0[0]) },
        "lost-answer": Form(count: 1) { _ in .lostAnswer },
        "no-keys": Form { _ in .noKeys },
        "409": Form(count: 1) { _ in .conflict },
        "locked": Form(count: 1) { _ in .locked },
        "expired": Form(count: 1) { _ in .expired },
        "gone": Form(count: 1) { _ in .gone },
        "rewind": Form(count: 1) { _ in .rewind },
        "beyond": Form { _ in .beyond },
        "other-host": Form { _ in .otherHost },
        "absolute": Form { _ in .absolute },
        "202": Form(1) { .processing(polls: $0[0]) },
        "processing-failed": Form { _ in .processingFailed },
        "not-ready": Form(count: 1) { _ in .notReady },
        "no-v2": Form { _ in .noVersion2 },
        "no-delete": Form { _ in .noDelete },
        "rate": Form(2) { .rate(count: $0[0], seconds: $0[1]) },
    ]

    /// Parses one fault, such as `cut:50`, `503:2` or `lost-answer@posts`.
    ///
    /// Returns `nil` if it is invalid.
    init?(parsing text: Substring) {
        let sides = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let words = sides[0].split(separator: ":", omittingEmptySubsequences: false)
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard numbers.count == words.count - 1, numbers.allSatisfy({ (0...1_000_000_000).contains($0) })
        else {
            return nil
        }
        let name = String(words[0])
        let form = Self.forms[name] ?? Int(name).flatMap(Self.statusForm)
        guard let form, [form.numbers, form.numbers + 1].contains(numbers.count) else { return nil }
        kind = form.kind(numbers)
        count = numbers.count > form.numbers ? numbers[form.numbers] : form.count
        word = sides.count > 1 ? String(sides[1]) : nil
        if word?.isEmpty == true { return nil }
    }

    private static func statusForm(_ status: Int) -> Form? {
        (400...599).contains(status) ? Form { _ in .status(status) } : nil
    }
}

/// The faults that a request's path selects for what it sends.
struct SelectedFaults: Sendable {
    var faults: [PublishFault] = []
    /// The path prefix to use in responses, so that later requests have the faults too.
    var root = ""
}

extension Call {
    /// Returns the selected faults that strike this request now.
    ///
    /// Counts this request for each fault that affects a limited number of requests.
    func struck(where isMeant: (PublishFault.Kind) -> Bool) -> [PublishFault.Kind] {
        selected.faults.filter { isMeant($0.kind) && strikes($0) }.map(\.kind)
    }

    /// Returns whether the request has this fault.
    ///
    /// - Parameters:
    ///   - kind: the fault.
    ///   - key: what to count by, instead of each method and path.
    /// - Returns: whether it strikes now.
    func suffers(_ kind: PublishFault.Kind, counting key: String? = nil) -> Bool {
        selected.faults.contains { $0.kind == kind && strikes($0, counting: key) }
    }

    private func strikes(_ fault: PublishFault, counting key: String? = nil) -> Bool {
        guard fault.concerns(request.method, innerPath) else { return false }
        guard let count = fault.count else { return true }
        return site.isAmongFirst(count, for: "\(fault.kind) \(key ?? "\(request.method) \(request.path)")")
    }

    /// The path after the fault prefix.
    var innerPath: String {
        String(request.path.dropFirst(selected.root.count))
    }
}
