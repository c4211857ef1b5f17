/// What came of many trials.
package struct TrialTally: Sendable {
    /// How often each word was the result.
    package var words: [String: Int] = [:]
    package var fast = 0
    package var count = 0
    /// Stands for all results and their numbers, in whatever order they came.
    package var digest: UInt64 = 0

    package init() {}

    package mutating func add(_ result: CodecTrial.Result, number: Int) {
        count += 1
        words[result.word, default: 0] += 1
        if result.isFast { fast += 1 }
        // Mixed with its number, so that two results that changed places are seen.
        digest &+= (result.hash ^ UInt64(number)) &* 0x9e37_79b9_7f4a_7c15
    }

    package static func + (one: TrialTally, other: TrialTally) -> TrialTally {
        var sum = one
        sum.words.merge(other.words, uniquingKeysWith: +)
        sum.fast += other.fast
        sum.count += other.count
        sum.digest &+= other.digest
        return sum
    }

    /// How many there were, the words with their counts, most frequent first, and the digest.
    package var summary: String {
        "\(count), \(fast) fast: \(wordSummary); digest \(String(digest, radix: 16))"
    }

    private var wordSummary: String {
        words.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { "\($0.key) \($0.value)" }.joined(
            separator: ", "
        )
    }
}
