import CalotypeHTTPMessages

/// What goes wrong with what is sent to a path that comes after `/publish-faults/FAULT`.
///
/// Such a beginning of a path serves as the address of a receiver, which then has nothing but the fault.
struct PublishFault: Sendable {
    /// What happens.
    enum Kind: Hashable, Sendable {
        /// This status at once, the body unread.
        case status(Int)
        /// 429, and after how many seconds another try is welcome.
        case rateLimited(seconds: Int)
        /// 413 at once to whatever has a body.
        case tooLong
        /// The connection is closed after this part of the body.
        case cut(percent: Int)
        /// Nothing more is read after half of the body.
        case stall
        /// Bodies are read at this rate.
        case slow(bytesPerSecond: Int)
        /// The answer is held back.
        case latency(milliseconds: Int)
        /// The connection is closed in place of an answer.
        case lostAnswer
        /// Keys that make a request safe to repeat are ignored.
        case noKeys
        /// Another offset is said to be right than the one that is.
        case conflict
        /// Somebody else is said to write.
        case locked
        /// The upload is gone after the beginning of its first piece, and that is told with 410.
        case expired
        /// The same with 404.
        case gone
        /// Some of what came is lost again.
        case rewind
        /// More is said to have come than there is.
        case beyond
        /// The upload is at another host.
        case otherHost
        /// The upload's place is told as a whole URL.
        case absolute
        /// Media are processed until the client has asked this many times.
        case processing(polls: Int)
        /// Media turn out to be such that they cannot be processed.
        case processingFailed
        /// Media are said to be in processing when a status is to have them.
        case notReady
        /// There is no version 2.
        case noVersion2
        /// Media cannot be deleted.
        case noDelete
        /// No more than this many media are taken in this time.
        case rate(count: Int, seconds: Int)
    }

    static let prefix = "/publish-faults"

    /// What each word does, for people.
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
    /// How many requests of each method and path have it; all where `nil`.
    let count: Int?
    /// A method, or a part of the paths that have it; all have it where `nil`.
    let word: String?

    /// Reads faults that are separated by commas; `nil` where one of them makes no sense.
    static func list(parsing text: String) -> [PublishFault]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let faults = parts.compactMap { PublishFault(parsing: $0) }
        return faults.count == parts.count ? faults : nil
    }

    /// Whether a request is one of those that it is for.
    func concerns(_ method: String, _ path: String) -> Bool {
        guard let word else { return true }
        return method == word || path.contains(word)
    }
}

extension PublishFault {
    /// A fault whose name is a word, how many numbers follow the word, and how often it strikes where that is not told.
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

    /// Reads one fault, such as `cut:50`, `503:2` or `lost-answer@posts`; `nil` where that makes no sense.
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

/// What goes wrong with what a request sends, because its path asks for it.
struct PublishWish: Sendable {
    var faults: [PublishFault] = []
    /// What paths in answers begin with, so that what follows has the faults too.
    var root = ""
}

extension Call {
    /// The faults among those meant that this request has to suffer now.
    ///
    /// Each that is for some requests only counts this one.
    func struck(where isMeant: (PublishFault.Kind) -> Bool) -> [PublishFault.Kind] {
        wish.faults.filter { isMeant($0.kind) && strikes($0) }.map(\.kind)
    }

    /// Whether the request has this fault.
    ///
    /// - Parameters:
    ///   - kind: the fault.
    ///   - key: what is counted, where that is not each method and path.
    /// - Returns: whether it strikes now.
    func suffers(_ kind: PublishFault.Kind, counting key: String? = nil) -> Bool {
        wish.faults.contains { $0.kind == kind && strikes($0, counting: key) }
    }

    private func strikes(_ fault: PublishFault, counting key: String? = nil) -> Bool {
        guard fault.concerns(request.method, innerPath) else { return false }
        guard let count = fault.count else { return true }
        return site.isAmongFirst(count, for: "\(fault.kind) \(key ?? "\(request.method) \(request.path)")")
    }

    /// The path after the fault.
    var innerPath: String {
        String(request.path.dropFirst(wish.root.count))
    }
}
