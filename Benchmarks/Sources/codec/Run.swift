import Calotype
import CalotypeCodec
import Glibc

/// The making of all thumbnails of one list.
struct Run {
    let orders: Orders
    let paths: [String]
    private let results = Guarded(Tally())

    init(_ orders: Orders, paths: [String]) {
        self.orders = orders
        self.paths = paths
    }

    var tally: Tally { results.withLock { $0 } }

    /// Runs `body` with the codec that was asked for.
    func withCodec(_ body: (any ImageCoding) async throws -> Void) async throws {
        var configuration = ImageCodecConfiguration()
        configuration.threads = orders.threads
        configuration.usesLibvipsOnly = orders.usesLibvipsOnly
        configuration.isolation = orders.isolation
        try await withImageCodec(configuration) { try await body($0) }
    }

    func play(_ codec: any ImageCoding) async {
        let start = Clocks.now()
        await withDiscardingTaskGroup { group in
            let next = Guarded(0)
            for _ in 0..<min(orders.atATime ?? orders.threads, paths.count) {
                group.addTask {
                    while let index = next.withLock({ next in
                        defer { next += 1 }
                        return next < paths.count ? next : nil
                    }) {
                        await make(index, codec)
                    }
                }
            }
        }
        results.withLock { [end = Clocks.now()] in $0.took = end - start }
    }

    private func make(_ index: Int, _ codec: any ImageCoding) async {
        let path = paths[index]
        do {
            let input: CodecInput = orders.readsFiles ? .file(path: path) : .bytes(try Files.bytes(path))
            var limits = ImageLimits()
            limits.pixels = orders.pixels ?? limits.pixels
            let specs = orders.specs
            let pictures = try await codec.pictures(of: input, limits: limits, priority: LivePriority()) {
                specs
            }
            for (number, result) in pictures.enumerated() {
                let picture = try result.get()
                guard case .encoded(let bytes, let format) = picture.content else { continue }
                try keep(bytes, index, size: orders.sizes[number / orders.formats.count], format)
            }
            let decoder = pictures.compactMap { try? $0.get().decoder }.first
            results.withLock { $0.succeed(decoder.map { "\($0)" } ?? "none") }
        } catch {
            results.withLock { $0.fail(path, "\(error)") }
        }
    }

    private func keep(_ bytes: [UInt8], _ index: Int, size: Int, _ format: ImageFormat) throws {
        guard let folder = orders.output else { return }
        let digits = "\(index)"
        let name = String(repeating: "0", count: max(0, 9 - digits.count)) + digits
        let suffix = format == .jpeg ? "jpg" : "\(format)"
        try Files.write(bytes, "\(folder)/\(name)\(orders.sizes.count > 1 ? "-\(size)" : "").\(suffix)")
    }

    /// The tally as a JSON object on one line.
    var summary: String {
        let tally = tally
        let failures = tally.firstFailures.map { "\"\(Self.escaped($0))\"" }.joined(separator: ",")
        let decoders = tally.decoders.sorted { $0.key < $1.key }
            .map { "\"\(Self.escaped($0.key))\":\($0.value)" }.joined(separator: ",")
        return """
            {"made":\(tally.made),"failed":\(tally.failures),"wall":\(tally.took.wall),"cpu":\(tally.took.cpu),\
            "failures":[\(failures)],"decoders":{\(decoders)}}
            """
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0 == "\"" || $0 == "\\" || $0.value < 32 ? "'" : "\($0)" }.joined()
    }
}
