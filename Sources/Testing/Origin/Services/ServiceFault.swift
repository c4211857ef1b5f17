/// What goes wrong with an answer of a service whose path comes after `/api-faults/FAULT`.
///
/// Such a beginning of a path serves as the base URL of a client, which then meets nothing but the fault.
struct ServiceFault: Sendable {
    /// What happens.
    enum Kind: Sendable {
        /// A status with an empty body, and what it says in Retry-After.
        case status(Int, retryAfter: Int?)
        /// Milliseconds before the answer.
        case latency(Int)
        case named(FaultPlan.Fault.Name)
        /// A right answer with entries that are not, the first in the way of this number.
        case odd(Int)
        /// A right answer that names pictures with this fault.
        case pictures(String)
    }

    static let prefix = "/api-faults"

    /// What each word does, for people.
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
    /// How many answers for each path and query have it; all where `nil`.
    private(set) var count: Int?

    /// Reads the fault from its text; `nil` where that makes no sense.
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

/// What a document of a service says other than usual, because the path asks for it.
struct DocumentWish: Sendable {
    /// Entries lack what they should have, or have it wrong, each in another way; the first in the way of this number.
    var oddity: Int?
    /// The fault that the pictures have which it names, such as `latency-500`.
    var pictureFault: String?

    /// Where the paths of pictures begin.
    func pictureRoot(_ site: Site) -> String {
        site.baseURL + (pictureFault.map { "\(ServiceFault.prefix)/\($0)" } ?? "")
    }
}
