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
        try await reserving([spec], of: source) { places in
            guard let set = places.first?.set else { preconditionFailure("no place for a picture") }
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

    /// Runs `body` with a place for each of the pictures `specs`: those that still have theirs when the decode begins come
    /// from it, whether or not they have been asked for by then.
    ///
    /// Give a place up with ``release(_:)`` as soon as its picture is had, so that no decode makes it for nothing.
    func reserving<Output>(
        _ specs: [PictureSpec],
        of source: SourceKey,
        _ body: ([DecodePlace]) async throws -> Output
    ) async throws -> Output {
        let places = state.withLock { state in
            specs.map { DecodePlace(in: state.sets.join([$0], of: source), for: $0, of: source) }
        }
        defer { for place in places { release(place) } }
        return try await body(places)
    }

    /// Gives a place up; once is enough.
    func release(_ place: DecodePlace) {
        guard place.giveUp() else { return }
        // Its pictures are let go outside the lock.
        let product = state.withLock { state -> Product? in
            state.sets.leave(place.set, [place.spec], of: place.source)
                ? state.products.removeValue(forKey: place.set) : nil
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
