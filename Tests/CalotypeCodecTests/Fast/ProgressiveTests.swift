import CalotypeCore
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(10))) struct ProgressiveTests {
    private static let scales = [1, 2, 3, 4, 8]

    @Test(arguments: [EncodeOptions.Subsampling.half, .none])
    func `a progressive picture has the pixels that libjpeg makes`(
        _ subsampling: EncodeOptions.Subsampling
    ) async throws {
        for (bitmap, quality) in [
            (noise(93, 71), 97), (noise(93, 71), 40), (hills(203, 117), 85), (hills(7, 5), 60),
        ] {
            let plain = try libvipsJPEG(
                bitmap,
                quality: quality,
                isProgressive: true,
                subsampling: subsampling
            )
            var kinds = [plain]
            for script in JPEGTran.scripts {
                for restart in [0, 1, 5] {
                    kinds.append(try await JPEGTran.rescanned(plain, script, restart: restart))
                }
            }
            for jpeg in kinds {
                for scale in Self.scales {
                    let (ours, libjpegs) = try Self.both(jpeg, scale: scale)
                    #expect(try ours.get() == libjpegs.get(), "\(bitmap.size), \(quality), \(scale) eighths")
                }
            }
        }
    }

    @Test func `grey and unusual samplings have the pixels that libjpeg makes`() async throws {
        let grey = "0: 0-0, 0, 1; 0: 1-20, 0, 2; 0: 21-63, 0, 0; 0: 1-20, 2, 1; 0: 0-0, 1, 0; 0: 1-20, 1, 0;"
        for sampling in [
            [(2, 2)], [(1, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (2, 1)], [(2, 2), (2, 1), (1, 2)],
        ] {
            var picture = BlockJPEG()
            picture.sampling = sampling
            let script = sampling.count == 1 ? grey : JPEGTran.scripts[1]
            let jpeg = try await JPEGTran.rescanned(picture.bytes, script, restart: 2)
            for scale in Self.scales {
                let (ours, libjpegs) = try Self.both(jpeg, scale: scale)
                #expect(try ours.get() == libjpegs.get(), "\(sampling), \(scale) eighths")
            }
        }
    }

    /// `CALOTYPE_SCAN_ROUNDS` and `CALOTYPE_SCAN_SEED` are for `script/soak scans`.
    @Test func `damaged scans give the error or the pixels that libjpeg gives`() async throws {
        let rounds = Self.setting("CALOTYPE_SCAN_ROUNDS")
        var random = SplitMix64(seed: UInt64(Self.setting("CALOTYPE_SCAN_SEED") ?? 11))
        var outcomes: Set<String> = []
        var (scans, pictures) = (0, 0)
        for jpeg in try await Self.smallPictures() {
            let script = try #require(try ProgressiveScript(ByteReader(jpeg)))
            for round in 0..<(rounds ?? 500) {
                let bytes = Self.damaged(jpeg, script, round: round, using: &random)
                // Both readers share what reads the segments before the scans, and end there if they are bad.
                guard let taken = (try? ProgressiveScript(ByteReader(bytes))) ?? nil,
                    (try? jpegSource(.memory(bytes))) != nil,
                    (try? JPEGReader(.memory(bytes)).header(keepsProfile: false)) != nil
                else { continue }
                (scans, pictures) = (scans + taken.scans.count, pictures + 1)
                let scale = [8, 8, 4, 2].randomElement(using: &random) ?? 8
                let (ours, libjpegs) = try Self.both(bytes, scale: scale, acceptsTruncated: round % 2 == 0)
                outcomes.insert(libjpegs.word)
                // The scans that 1/8 needs are not all, so libjpeg may see more damage.
                _ = round % 16 == 0 ? try Self.both(bytes, scale: 1) : nil
                guard ours != libjpegs else { continue }
                Issue.record("round \(round), \(scale) eighths: \(ours.word), not \(libjpegs.word)")
            }
        }
        if rounds != nil { print("\(scans) scans of \(pictures) damaged pictures") }
        #expect(outcomes == ["pixels", "partial pixels", "truncated_image", "corrupt_image"])
    }

    private static func setting(_ name: String) -> Int? {
        unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) }
    }

    /// A copy of `jpeg` with one to three bytes changed, mostly in its scans, and some with bytes missing.
    private static func damaged(
        _ jpeg: [UInt8],
        _ script: ProgressiveScript,
        round: Int,
        using random: inout SplitMix64
    ) -> [UInt8] {
        var bytes = jpeg
        for _ in 0...round % 3 {
            let isAnywhere = round % 7 == 6
            let part = isAnywhere ? 2..<jpeg.count : script.scans.randomElement(using: &random)?.data
            let place = Int.random(in: part ?? 2..<jpeg.count, using: &random)
            bytes[place] =
                round % 2 == 0 ? .random(in: 0...255, using: &random) : bytes[place] ^ 1 << UInt8(round % 8)
        }
        let cut = Int.random(in: script.scans[0].data.lowerBound..<bytes.count, using: &random)
        if round % 5 == 4 { bytes.removeSubrange(cut..<min(cut + round % 40, bytes.count)) }
        return bytes
    }

    @Test func `scans that are not needed are not read`() throws {
        let jpeg = try libvipsJPEG(noise(160, 120), isProgressive: true, subsampling: .half)
        let script = try #require(try ProgressiveScript(ByteReader(jpeg)))
        let skipped = script.scans.filter { $0.start > 0 && $0.components == [0] }
        #expect(skipped.count >= 3)
        #expect(script.scans(scale: 1).count == script.scans.count - skipped.count)
        #expect(script.scans(scale: 2).count == script.scans.count)
        var damaged = jpeg
        for scan in skipped { for place in scan.data { damaged[place] = 0 } }
        #expect(try DecodedJPEG(damaged, scale: 1).samples == DecodedJPEG(jpeg, scale: 1).samples)
        #expect(throws: CalotypeError.self) { try DecodedJPEG(damaged, scale: 2) }
    }

    @Test func `what is incomplete or contradicts itself is left to libjpeg`() throws {
        let jpeg = try libvipsJPEG(noise(60, 50), isProgressive: true)
        let script = try #require(try ProgressiveScript(ByteReader(jpeg)))
        let ends = script.scans.map(\.data.upperBound)
        // A copy of the first scan follows it.
        let header = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        let twice = jpeg[..<ends[0]] + jpeg[header..<ends[0]] + jpeg[ends[0]...]
        // An earlier end, none, a restart marker that nothing announced.
        let restart = jpeg[..<(ends[1] - 4)] + [0xFF, 0xD0] + jpeg[ends[1]...]
        for bytes in [jpeg[..<ends[4]] + [0xFF, 0xD9], jpeg.dropLast(2), twice, restart] {
            let found = (try? ProgressiveScript(ByteReader(Array(bytes)))) ?? nil
            #expect(found == nil)
        }
    }

    @Test func `the estimated memory is at least that of the coefficients, and less than libjpeg's`() throws {
        for (bitmap, quality, isLess) in [
            (noise(640, 480), 100, false), (noise(640, 480), 50, false), (hills(640, 480), 85, true),
        ] {
            let jpeg = try libvipsJPEG(bitmap, quality: quality, isProgressive: true)
            let script = try #require(try ProgressiveScript(ByteReader(jpeg)))
            for scale in [1, 4] {
                var reader = ProgressiveReader(ByteReader(jpeg), script, scale: scale)
                while try reader.step() != nil {}
                let held = reader.planes.reduce(0) { bytes, plane in
                    bytes + plane.first.capacity * 2 + plane.masks.capacity * 8
                        + plane.rows.reduce(0) { $0 + $1.capacity * 2 + 48 }
                }
                #expect(held <= script.heldBytes(scale: scale))
                #expect(held > 0)
                let libjpegs = script.frame.components.indices.reduce(0) { bytes, part in
                    let units = script.frame.units(of: [part])
                    return bytes + units.across * units.down * 128
                }
                if isLess { #expect(script.heldBytes(scale: scale) < libjpegs) }
            }
        }
    }

    @Test func `a picture that is read from a file in pieces has the same pixels`() async throws {
        let plain = try libvipsJPEG(noise(640, 480), quality: 100, isProgressive: true)
        for jpeg in [plain, try await JPEGTran.rescanned(plain, JPEGTran.scripts[0], restart: 5)] {
            try await withTemporaryFile(jpeg) { path in
                for scale in [1, 4, 8] {
                    let file = try Self.both(jpeg, in: EncodedSource(.file(path: path)), scale: scale)
                    #expect(try file.ours.get() == file.libjpegs.get(), "\(scale) eighths")
                }
            }
        }
    }

    /// Progressive pictures of some kilobytes, in the usual scans and in others.
    private static func smallPictures() async throws -> [[UInt8]] {
        let plain = try libvipsJPEG(noise(60, 50), quality: 60, isProgressive: true, subsampling: .half)
        let smooth = try libvipsJPEG(hills(80, 40), quality: 90, isProgressive: true, subsampling: .none)
        return [
            plain, smooth, try await JPEGTran.rescanned(plain, JPEGTran.scripts[1]),
            try await JPEGTran.rescanned(smooth, JPEGTran.scripts[0], restart: 3),
        ]
    }

    /// What our reader and libjpeg's make of `jpeg`, which has a script.
    private static func both(
        _ jpeg: [UInt8],
        in file: EncodedSource? = nil,
        scale: Int = 8,
        acceptsTruncated: Bool = false
    ) throws -> (ours: Outcome, libjpegs: Outcome) {
        let source = file ?? .memory(jpeg)
        let taken = try jpegSource(source)
        let frame = try JPEGReader(source).header(keepsProfile: false)
        let ours = Outcome {
            let decoder = try taken.decoder(
                scale: scale,
                acceptsTruncated: acceptsTruncated,
                isCancelled: { false }
            )
            #expect(decoder is ProgressiveDecoder)
            return decoder
        }
        let libjpegs = Outcome {
            try JPEGDecoder(
                source,
                size: frame.size,
                model: taken.model,
                scale: scale,
                acceptsTruncated: acceptsTruncated
            )
        }
        return (ours, libjpegs)
    }
}

/// The pixels that a decoder makes, or the code of its error.
private enum Outcome: Equatable {
    case pixels([UInt8], isPartial: Bool)
    case error(ErrorCode?)

    init(_ decoder: () throws -> any RowDecoder) {
        do {
            let decoded = try DecodedJPEG(decoder())
            self = .pixels(decoded.samples, isPartial: decoded.isPartial)
        } catch {
            self = .error((error as? CalotypeError)?.code)
        }
    }

    var word: String {
        switch self {
        case .pixels(_, let isPartial): isPartial ? "partial pixels" : "pixels"
        case .error(let code): code?.rawValue ?? "another error"
        }
    }

    func get() throws -> [UInt8] {
        guard case .pixels(let samples, false) = self else { throw JPEGTran.Failure(command: word) }
        return samples
    }
}
