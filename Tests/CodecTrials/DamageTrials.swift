package import CalotypeCodec
internal import CalotypeCore
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

    /// Reads the files of `format` without a decoder of a library, each time with other damage.
    package func reads(of format: String) async -> TrialTally {
        let suited = files.filter { $0.format == format }
        let most = max(1, flips / Lanes.count)
        return await withTaskGroup(of: TrialTally.self) { group in
            for lane in 0..<Lanes.count {
                group.addTask {
                    var (tally, random) = (
                        TrialTally(), SeededRandom(seed: seed &+ UInt64(lane), text: format)
                    )
                    for number in 0..<most {
                        let bytes = Self.damaged(random.one(of: suited).bytes, &random)
                        tally.add(CodecTrial.read(bytes), number: number * Lanes.count + lane)
                    }
                    return tally
                }
            }
            return await group.reduce(TrialTally(), +)
        }
    }

    /// Returns `bytes` with up to eight of them changed, most near the start, and sometimes cut or with a part moved.
    private static func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<random.whole(1...8) {
            let place = random.whole(0...(random.whole(0...1) == 0 ? min(64, bytes.count) : bytes.count) - 1)
            bytes[place] = UInt8(random.whole(0...255))
        }
        switch random.whole(0...9) {
        case 0: bytes.removeLast(random.whole(0...bytes.count - 1))
        case 1:
            let start = random.whole(0...bytes.count - 1)
            let part = bytes[start..<min(bytes.count, start + random.whole(1...64))]
            bytes.insert(contentsOf: Array(part), at: random.whole(0...bytes.count))
        default: break
        }
        return bytes
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
