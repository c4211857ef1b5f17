import CalotypeCodec
import CalotypeCore
import TaskFlow

/// Where decodes are waited for: all pictures that are wanted of one source when its decode begins come from that decode.
final class DecodeStage: Sendable {
    /// A source that is complete, and how much one decode makes of it.
    private struct Opened: Sendable {
        let source: LoadedSource
        /// `nil` where its header says nothing, and the decode will fail.
        let share: DecodeShare?

        func room(_ specs: [PictureSpec]) -> Int { share?.count(of: specs) ?? specs.count }
    }

    /// What one decode gave.
    private struct Product: Sendable {
        let receipt: SourceReceipt
        /// Nothing where each picture is to be made alone.
        let pictures: [PictureSpec: Result<CodedPicture, CalotypeError>]
    }

    /// What may fail a decode although one that makes a single picture would succeed.
    private static let failuresOfMany: Set<ErrorCode> = [.timeoutDecode, .decoderCrashed]

    private struct Key: Hashable, Sendable {
        let source: SourceKey
        let set: DecodeSets.SetID
    }

    private struct State {
        var sets = DecodeSets()
        /// The sources of sets whose decodes have not ended, as long as they have members.
        var opened: [DecodeSets.SetID: Opened] = [:]
        /// What finished decodes gave, as long as their sets have members.
        var products: [DecodeSets.SetID: Product] = [:]

        /// Forgets a set that has no members; the result is to be let go outside the lock.
        mutating func forget(_ set: DecodeSets.SetID) -> (Opened?, Product?) {
            (opened.removeValue(forKey: set), products.removeValue(forKey: set))
        }
    }

    private let codec: any ImageCoding
    private let sources: SourceStage
    private let changes: SourceChanges
    private let openings: SharedFlights<Key, Opened>
    private let flights: Coalescer<Key, Product>
    private let state = Guarded(State())

    init(
        _ codec: any ImageCoding,
        sources: SourceStage,
        changes: SourceChanges,
        clock: Stopwatch,
        scope: TaskScope
    ) {
        self.codec = codec
        self.sources = sources
        self.changes = changes
        openings = SharedFlights(scope: scope, name: "opening", clock: clock)
        flights = Coalescer(scope: scope, name: "decode")
    }

    /// The decodes under way, their waits for the source included.
    var flightCount: Int { openings.flightCount + flights.flightCount }
    /// The sets that somebody waits for.
    var setCount: Int { state.withLock { $0.sets.count } }

    /// Makes one picture of a source, and returns it with the source's receipt.
    ///
    /// - Throws: `LoadError`; `CancellationError`.
    func picture(
        _ spec: PictureSpec,
        of source: SourceKey,
        priority: LivePriority
    ) async throws -> (picture: CodedPicture, source: SourceReceipt) {
        try await reserving([spec], of: source) { places in
            guard let place = places.first else { preconditionFailure("no place for a picture") }
            while true {
                let product = try await product(for: place, priority)
                guard let result = product.pictures[spec] else {
                    // Others made the decode too long, or crash: joining them must not fail this one.
                    move(place) { $0.isolate($1, spec, of: source) }
                    continue
                }
                do throws(CalotypeError) {
                    return (try result.get(), product.receipt)
                } catch {
                    throw product.receipt.failure(error)
                }
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
        let moment = changes.moment(of: source.identity)
        let places = state.withLock { state in
            specs.map {
                DecodePlace(in: state.sets.join([$0], of: source, changed: moment), for: $0, of: source)
            }
        }
        defer { for place in places { release(place) } }
        return try await body(places)
    }

    /// Gives a place up; once is enough.
    func release(_ place: DecodePlace) {
        guard place.giveUp() else { return }
        let left = state.withLock { state in
            state.sets.leave(place.set, [place.spec], of: place.source) ? state.forget(place.set) : nil
        }
        withExtendedLifetime(left) {}
    }

    /// Moves a place to another set.
    private func move(
        _ place: DecodePlace,
        _ choose: (inout DecodeSets, DecodeSets.SetID) -> (id: DecodeSets.SetID, endsOther: Bool)
    ) {
        let left = state.withLock { state in
            let old = place.set
            let (new, endsOther) = choose(&state.sets, old)
            place.set = new
            if new != old, state.opened[new] == nil { state.opened[new] = state.opened[old] }
            return endsOther ? state.forget(old) : nil
        }
        withExtendedLifetime(left) {}
    }

    private func product(for place: DecodePlace, _ priority: LivePriority) async throws -> Product {
        if let product = state.withLock({ $0.products[place.set] }) { return product }
        try await settle(place, priority)
        let key = Key(source: place.source, set: place.set)
        return try await flights.value(for: key, priority: priority) { flight in
            // Another flight may have ended between the look-up and the start.
            if let product = self.state.withLock({ $0.products[key.set] }) { return product }
            let product = try await self.decode(key.set, of: key.source, priority: flight.priority)
            let opened = self.state.withLock { state -> Opened? in
                guard state.sets.contains(key.set, of: key.source) else { return nil }
                state.products[key.set] = product
                return product.pictures.isEmpty ? nil : state.opened.removeValue(forKey: key.set)
            }
            // The source's end comes before that of those who wait, and outside the lock.
            withExtendedLifetime(opened) {}
            return product
        }
    }

    /// Makes the source complete, and moves the place to a set that has room for it.
    private func settle(_ place: DecodePlace, _ priority: LivePriority) async throws {
        let opened = try await open(place, priority)
        defer { opened.source.stay() }
        move(place) { $0.settle($1, place.spec, of: place.source, room: opened.room) }
        state.withLock { state in
            let isWanted = state.products[place.set] == nil && state.opened[place.set] == nil
            if isWanted { state.opened[place.set] = opened }
        }
    }

    /// Makes the source complete, once for all who wait in one set.
    private func open(_ place: DecodePlace, _ priority: LivePriority) async throws -> Opened {
        let key = Key(source: place.source, set: place.set)
        if let opened = state.withLock({ $0.opened[key.set] }) { return opened }
        return try await openings.value(for: key, priority: priority) { flight in
            let source = try await self.sources.source(for: key.source, priority: flight.priority)
            // What is wrong with it the decode will tell.
            let facts = source.receipt.facts
            let told = if let facts { facts } else { try? await self.codec.facts(of: source.input) }
            let opened = Opened(source: source, share: told.map { DecodeShare($0) })
            self.state.withLock { state in
                if state.sets.contains(key.set, of: key.source) { state.opened[key.set] = opened }
            }
            return opened
        }
    }

    private func decode(
        _ set: DecodeSets.SetID,
        of key: SourceKey,
        priority: LivePriority
    ) async throws -> Product {
        // Without it all have left.
        guard let opened = state.withLock({ $0.opened[set] }) else { throw CancellationError() }
        let source = opened.source
        defer { source.stay() }
        let specs = Guarded<[PictureSpec]>([])
        do {
            let pictures = try await codec.pictures(of: source.input, limits: key.limits, priority: priority)
            {
                let wanted = self.state.withLock { $0.sets.begin(set, of: key, room: opened.room) }
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
            if Self.failuresOfMany.contains(error.code), specs.withLock(\.count) > 1 {
                return Product(receipt: source.receipt, pictures: [:])
            }
            throw source.receipt.failure(error)
        }
    }
}
