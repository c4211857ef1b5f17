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
