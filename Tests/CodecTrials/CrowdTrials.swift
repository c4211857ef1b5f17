package import CalotypeCodec
internal import CalotypeCore
internal import CalotypeSamplePictures
internal import TaskFlow

/// Very many pictures on four threads: good ones, which must come out the same each time, and damaged ones between them.
package struct CrowdTrials: Sendable {
    /// What is known after a number of pictures.
    package struct State: Sendable {
        package var tally = TrialTally()
        /// Good pictures that did not come out as they did the first time.
        package var differences: [String] = []
        var first: [Int: UInt64] = [:]
    }

    /// Good pictures, by their paths: they are too many to be held.
    package let paths: [String]
    /// Small ones, to be damaged.
    package let files: [TrialFile]
    package let seed: UInt64
    private let state = Guarded(State())

    package init(paths: [String], files: [TrialFile], seed: UInt64) {
        (self.paths, self.files, self.seed) = (paths, files, seed)
    }

    package var snapshot: State { state.withLock { $0 } }

    /// Works on the pictures with these numbers.
    package func run(_ numbers: ClosedRange<Int>, _ codec: ImageCodec) async {
        await Lanes.run(numbers) { number in
            if number % 2 == 0 {
                await good(number / 2 % max(1, paths.count), number, codec)
            } else {
                await damaged(number, codec)
            }
        }
    }

    private func good(_ index: Int, _ number: Int, _ codec: ImageCodec) async {
        guard let bytes = try? CodecTrial.bytes(paths[index]) else {
            return state.withLock { $0.differences.append("\(paths[index]) cannot be read") }
        }
        // By the number of the path, not of the picture: it must be made into the same each time.
        let spec = CodecTrial.largeSpecs[index % CodecTrial.largeSpecs.count]
        let result = await CodecTrial.run(bytes, as: spec, codec)
        state.withLock { state in
            state.tally.add(result, number: index)
            guard let before = state.first[index] else {
                state.first[index] = result.hash
                return
            }
            if before != result.hash { state.differences.append("\(paths[index]): \(result.word)") }
        }
    }

    private func damaged(_ number: Int, _ codec: ImageCodec) async {
        guard !files.isEmpty else { return }
        var random = SeededRandom(seed: seed &+ UInt64(number))
        var bytes = random.one(of: files).bytes
        for _ in 0..<random.whole(0...3) {
            bytes[random.whole(0...bytes.count - 1)] ^= UInt8(random.whole(1...255))
        }
        if random.chance(0.25) { bytes.removeLast(random.whole(0...bytes.count - 1)) }
        let spec = CodecTrial.specs[number % CodecTrial.specs.count]
        let result = await CodecTrial.run(bytes, as: spec, codec, acceptsTruncated: random.chance(0.25))
        state.withLock { $0.tally.add(result, number: number) }
    }
}
