import CalotypeStore
import Synchronization
import TaskFlow

/// Remembers what was removed from the caches, so that work that began before brings nothing back.
///
/// It has a fixed size: groups share places by their hashes, so that a removal also keeps some work of other
/// sources from being cached.
final class SourceRemovals: Sendable {
    /// A point in the order in which removals begin and end.
    struct Moment: Hashable, Sendable {
        fileprivate var number: UInt64 = 0
        /// Whether a removal is in progress: what begins now must not be cached either.
        fileprivate(set) var isDuring = false

        static let beginning = Moment()
    }

    private struct Place {
        /// When a removal last began or ended.
        var last: UInt64 = 0
        var ongoing = 0
    }

    private struct State {
        var count: UInt64 = 0
        /// The removal of everything, and then those of groups; empty before the first removal.
        var places: [Place] = []
    }

    private static let placeCount = 1024
    private let state = Guarded(State())
    private let hasBegun = Atomic(false)

    /// The latest removal that concerns the source, which is `nil` if it cannot be cached.
    func moment(of source: @autoclosure () -> StoreGroup?) -> Moment {
        guard hasBegun.load(ordering: .acquiring), let source = source() else { return .beginning }
        let places = [0, Self.place(of: source), Self.place(of: StoreGroup(partition: source.partition))]
        return state.withLock { state in
            places.reduce(into: Moment()) { moment, place in
                moment.number = max(moment.number, state.places[place].last)
                if state.places[place].ongoing > 0 { moment.isDuring = true }
            }
        }
    }

    /// Runs `body`, which removes a group from the caches, or everything if it is `nil`.
    ///
    /// What begins before or during `body` is not cached.
    func removing<Output>(_ group: StoreGroup?, _ body: () async throws -> Output) async rethrows -> Output {
        let place = group.map(Self.place) ?? 0
        change(place, by: 1)
        defer { change(place, by: -1) }
        return try await body()
    }

    private func change(_ place: Int, by ongoing: Int) {
        state.withLock { state in
            if state.places.isEmpty { state.places = Array(repeating: Place(), count: Self.placeCount) }
            state.count += 1
            state.places[place].last = state.count
            state.places[place].ongoing += ongoing
        }
        hasBegun.store(true, ordering: .releasing)
    }

    private static func place(of group: StoreGroup) -> Int {
        1 + Int(UInt(bitPattern: group.hashValue) % UInt(placeCount - 1))
    }
}
