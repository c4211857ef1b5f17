/// A fault in the responses of a service whose path is below `/api-faults/FAULT`.
///
/// Such a prefix serves as the base URL of a client, which then meets this fault and no other.
struct ServiceFault: Sendable {
    /// The kinds of faults.
    enum Kind: Sendable {
        /// A status with an empty body and an optional Retry-After.
        case status(Int, retryAfter: Int?)
        /// A delay before the response, in milliseconds.
        case latency(Int)
        case named(FaultPlan.Fault.Name)
        /// A correct response with odd entries; the number selects the way of the first.
        case odd(Int)
        /// A correct response whose pictures have this fault.
        case pictures(String)
    }

    static let prefix = "/api-faults"

    /// The description of each word, for readers.
    static let help: [(word: String, meaning: String)] = [
        ("403, 429, 503, …", "This status with an empty body; 429-after-5 adds Retry-After: 5."),
        (FaultPlan.Fault.Name.allCases.map(\.rawValue).joined(separator: ", "), "As in --faults."),
        ("latency-MS", "The response after MS milliseconds."),
        (
            "odd, odd-N",
            "Entries of search and lookup have missing or wrong values; N is the first kind of error."
        ),
        ("pictures-FAULT", "The response is right, but the images that it names have the fault."),
        ("first-N-FAULT", "Only the first N responses for each path and query have the fault."),
    ]

    let kind: Kind
    /// How many responses for each path and query it affects; `nil` for all.
    private(set) var count: Int?

    /// Parses the fault.
    ///
    /// Returns `nil` if the text is invalid.
    init?(parsing text: String) {
        var words = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        if words.first == "first", words.count > 2 {
            guard let count = Int(words[1]), (0...1000).contains(count) else { return nil }
            self.count = count
            words = words.dropFirst(2)
        }
        guard let kind = Kind(words) else { return nil }
        self.kind = kind
    }
}

extension ServiceFault.Kind {
    fileprivate init?(_ words: ArraySlice<Substring>) {
        let text = words.joined(separator: "-")
        if let name = FaultPlan.Fault.Name(rawValue: text) {
            self = .named(name)
        } else if text == "odd" {
            self = .odd(0)
        } else if words.first == "odd", words.count == 2, let number = words.last.flatMap({ Int($0) }),
            OddEntries.ways.contains(number)
        {
            self = .odd(number)
        } else if words.first == "pictures", words.count > 1 {
            let rest = words.dropFirst().joined(separator: "-")
            guard ServiceFault(parsing: rest) != nil else { return nil }
            self = .pictures(rest)
        } else if words.first == "latency", words.count == 2 {
            guard let number = words.last.flatMap({ Int($0) }), (0...3_600_000).contains(number) else {
                return nil
            }
            self = .latency(number)
        } else {
            self.init(statusWords: Array(words))
        }
    }

    /// `429`, or `429-after-5`.
    private init?(statusWords words: [Substring]) {
        guard let status = words.first.flatMap({ Int($0) }), (400...599).contains(status) else { return nil }
        if words.count == 1 {
            self = .status(status, retryAfter: nil)
        } else if words.count == 3, words[1] == "after", let seconds = Int(words[2]), seconds >= 0 {
            self = .status(status, retryAfter: seconds)
        } else {
            return nil
        }
    }
}

/// The deviations in a service's document that the path selects.
struct DocumentFaults: Sendable {
    /// Makes entries odd, each in another way.
    ///
    /// The number selects the way of the first.
    var oddity: Int?
    /// The fault of the pictures in the document, such as `latency-500`.
    var pictureFault: String?

    /// Returns the prefix of the pictures' paths.
    func pictureRoot(_ site: Site) -> String {
        site.baseURL + (pictureFault.map { "\(ServiceFault.prefix)/\($0)" } ?? "")
    }
}
