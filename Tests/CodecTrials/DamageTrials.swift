package import CalotypeCodec
internal import CalotypeSamplePictures
internal import TaskFlow

/// Every prefix of small files, and single bytes of them changed: an error or a picture must come of each.
package struct DamageTrials: Sendable {
    package let files: [TrialFile]
    /// The changed bytes of each format.
    package let flips: Int
    package let seed: UInt64

    package init(_ files: [TrialFile], flips: Int, seed: UInt64) {
        (self.files, self.flips, self.seed) = (files, flips, seed)
    }

    /// Decodes all prefixes of `file`, the whole among them.
    package func prefixes(of file: TrialFile, _ codec: ImageCodec) async -> TrialTally {
        await tally(0...file.bytes.count, codec) { number in Array(file.bytes.prefix(number)) }
    }

    /// Decodes the files of `format`, each time with another byte changed; three of four PNGs have check sums that fit.
    package func flips(of format: String, _ codec: ImageCodec) async -> TrialTally {
        let suited = files.filter { $0.format == format }
        guard !suited.isEmpty else { return TrialTally() }
        return await tally(0...max(0, flips - 1), codec) { number in
            var random = SeededRandom(seed: seed &+ UInt64(number), text: format)
            var bytes = random.one(of: suited).bytes
            bytes[random.whole(0...bytes.count - 1)] ^= UInt8(random.whole(1...255))
            if format == "png", number % 4 != 0 { PNGCheckSums.mend(&bytes) }
            return bytes
        }
    }

    private func tally(
        _ numbers: ClosedRange<Int>,
        _ codec: ImageCodec,
        _ bytes: @escaping @Sendable (Int) -> [UInt8]
    ) async -> TrialTally {
        let results = Guarded(TrialTally())
        await Lanes.run(numbers) { number in
            // Every fourth is asked for what there is of it.
            let isPartial = number % 4 == 3
            let spec = CodecTrial.specs[number / 4 % CodecTrial.specs.count]
            let result = await CodecTrial.run(bytes(number), as: spec, codec, acceptsTruncated: isPartial)
            results.withLock { $0.add(result, number: number) }
        }
        return results.withLock { $0 }
    }
}
