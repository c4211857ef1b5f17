import CalotypeCodec
import CalotypeCore
import TaskFlow

/// Decodes sources: all pictures wanted of one source when its decode begins come from that decode.
final class DecodeStage: Sendable {
    /// A complete source, and how many pictures one decode of it makes.
    private struct Opened: Sendable {
        let source: LoadedSource
        /// `nil` if the header is unreadable; then the decode fails.
        let share: DecodeShare?

        func room(_ specs: [PictureSpec]) -> Int { share?.count(of: specs) ?? specs.count }
    }

    /// The results of one decode.
    private struct Product: Sendable {
        let receipt: SourceReceipt
        /// Empty if each picture must be made by a decode of its own.
        let pictures: [PictureSpec: Result<CodedPicture, CalotypeError>]
    }

    /// Errors of a decode that would succeed for a single picture.
    private static let failuresOfMany: Set<ErrorCode> = [.timeoutDecode, .decoderCrashed]

    private struct Key: Hashable, Sendable {
        let source: SourceKey
        let set: DecodeSets.SetID
    }

    private struct State {
        var sets = DecodeSets()
        /// The sources of sets whose decodes have not ended, while the sets have members.
        var opened: [DecodeSets.SetID: Opened] = [:]
        /// The results of finished decodes, while their sets have members.
        var products: [DecodeSets.SetID: Product] = [:]

        /// Forgets a set without members; the caller releases the result outside the lock.
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

    /// The number of decodes in progress, including those that wait for their source.
    var flightCount: Int { openings.flightCount + flights.flightCount }
    /// The number of sets with members.
    var setCount: Int { state.withLock { $0.sets.count } }

    /// Makes one picture of a source, and returns it with the source's receipt.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`.
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
                    // The decode of several pictures took too long or crashed, which must not fail a single
                    // one.
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

    /// Runs `body` with a place for each of the pictures `specs`.
    ///
    /// If a place is still held when the decode begins, its picture comes from that decode, whether or not it
    /// was requested by then. Release each place with ``release(_:)`` as soon as its picture is there, so
    /// that no decode makes it in vain.
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

    /// Releases the place; further calls have no effect.
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
            // Another flight may have ended between the look-up and the start of this one.
            if let product = self.state.withLock({ $0.products[key.set] }) { return product }
            let product = try await self.decode(key.set, of: key.source, priority: flight.priority)
            let opened = self.state.withLock { state -> Opened? in
                guard state.sets.contains(key.set, of: key.source) else { return nil }
                state.products[key.set] = product
                return product.pictures.isEmpty ? nil : state.opened.removeValue(forKey: key.set)
            }
            // Releases the source before the waiters continue, and outside the lock.
            withExtendedLifetime(opened) {}
            return product
        }
    }

    /// Completes the source, and moves the place to a set that has room for it.
    private func settle(_ place: DecodePlace, _ priority: LivePriority) async throws {
        let opened = try await open(place, priority)
        defer { opened.source.stay() }
        move(place) { $0.settle($1, place.spec, of: place.source, room: opened.room) }
        state.withLock { state in
            let isWanted = state.products[place.set] == nil && state.opened[place.set] == nil
            if isWanted { state.opened[place.set] = opened }
        }
    }

    /// Completes the source, once for all places of a set.
    private func open(_ place: DecodePlace, _ priority: LivePriority) async throws -> Opened {
        let key = Key(source: place.source, set: place.set)
        if let opened = state.withLock({ $0.opened[key.set] }) { return opened }
        return try await openings.value(for: key, priority: priority) { flight in
            let source = try await self.sources.source(for: key.source, priority: flight.priority)
            // If the header is unreadable, the decode reports why.
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
        // Without it, all members have left.
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
