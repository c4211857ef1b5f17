import CalotypeCodec
import CalotypeCore
import TaskFlow

/// Where decodes are waited for: all pictures that are wanted of one source when its decode begins come from that decode.
final class DecodeStage: Sendable {
    /// What one decode gave.
    private struct Product: Sendable {
        let receipt: SourceReceipt
        let pictures: [PictureSpec: Result<CodedPicture, CalotypeError>]
    }

    private struct Key: Hashable, Sendable {
        let source: SourceKey
        let set: DecodeSets.SetID
    }

    private struct State {
        var sets = DecodeSets()
        /// What finished decodes gave, as long as their sets have members.
        var products: [DecodeSets.SetID: Product] = [:]
    }

    private let codec: any ImageCoding
    private let sources: SourceStage
    private let flights: Coalescer<Key, Product>
    private let state = Guarded(State())

    init(_ codec: any ImageCoding, sources: SourceStage, scope: TaskScope) {
        self.codec = codec
        self.sources = sources
        flights = Coalescer(scope: scope, name: "decode")
    }

    /// The decodes under way, their waits for the source included.
    var flightCount: Int { flights.flightCount }
    /// The sets that somebody waits for.
    var setCount: Int { state.withLock { $0.sets.count } }

    /// Makes one picture of a source, and tells what the source had cost.
    ///
    /// - Throws: `LoadFailure`; `CancellationError`.
    func picture(
        _ spec: PictureSpec,
        of source: SourceKey,
        priority: LivePriority
    ) async throws -> (picture: Picture, source: SourceReceipt, isPartial: Bool) {
        try await reserving([spec], of: source) { set in
            let product = try await product(of: set, source, priority)
            guard let result = product.pictures[spec] else {
                preconditionFailure("a decode without a picture that was wanted of it")
            }
            do throws(CalotypeError) {
                let made = try result.get()
                return (Picture(made, product.receipt), product.receipt, made.isPartial)
            } catch {
                throw product.receipt.failure(error)
            }
        }
    }

    /// Runs `body`; whichever of the pictures `specs` are asked for meanwhile come from one decode.
    func reserving<Output>(
        _ specs: [PictureSpec],
        of source: SourceKey,
        _ body: (DecodeSets.SetID) async throws -> Output
    ) async throws -> Output {
        let set = state.withLock { $0.sets.join(specs, of: source) }
        defer { leave(set, specs, source) }
        return try await body(set)
    }

    private func leave(_ set: DecodeSets.SetID, _ specs: [PictureSpec], _ source: SourceKey) {
        // Its pictures are let go outside the lock.
        let product = state.withLock { state -> Product? in
            state.sets.leave(set, specs, of: source) ? state.products.removeValue(forKey: set) : nil
        }
        withExtendedLifetime(product) {}
    }

    private func product(
        of set: DecodeSets.SetID,
        _ source: SourceKey,
        _ priority: LivePriority
    ) async throws -> Product {
        if let product = state.withLock({ $0.products[set] }) { return product }
        return try await flights.value(for: Key(source: source, set: set), priority: priority) { flight in
            let product = try await self.decode(set, of: source, priority: flight.priority)
            self.state.withLock { state in
                if state.sets.contains(set, of: source) { state.products[set] = product }
            }
            return product
        }
    }

    private func decode(
        _ set: DecodeSets.SetID,
        of key: SourceKey,
        priority: LivePriority
    ) async throws -> Product {
        let source = try await sources.source(for: key, priority: priority)
        defer { source.stay() }
        let specs = Guarded<[PictureSpec]>([])
        do {
            let pictures = try await codec.pictures(of: source.input, limits: key.limits, priority: priority)
            {
                let wanted = self.state.withLock { $0.sets.begin(set, of: key) }
                specs.withLock { $0 = wanted }
                if !wanted.isEmpty { LoadEvents.emit(.decoding(pictures: wanted.count)) }
                return wanted
            }
            LoadTrace.record(pictures)
            return Product(
                receipt: source.receipt,
                pictures: Dictionary(zip(specs.withLock { $0 }, pictures)) { first, _ in first }
            )
        } catch let error as CalotypeError {
            throw source.receipt.failure(error)
        }
    }
}
