/// What a writer is about to do, noted before it does it, so that the note outlives it.
package struct TrialRecord: Hashable, Sendable {
    package enum Action: UInt8, Sendable {
        /// It offers a value for a key that may have one.
        case store
        /// It puts a value in the place of another.
        case replace
        /// It removes a value.
        case remove
        /// All it did before is on the disk.
        case flushed
        /// A look-up gave what it must not; the writer stops.
        case wrong
    }

    package static let length = 16

    package let action: Action
    /// Which of the writer's tasks it is; each has keys of its own.
    package let lane: UInt8
    package let key: Int
    package let version: Int

    package init(_ action: Action, lane: Int, key: Int = 0, version: Int = 0) {
        self.action = action
        self.lane = UInt8(lane)
        self.key = key
        self.version = version
    }

    package var bytes: [UInt8] {
        [action.rawValue, lane, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: key >> (8 * $0)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: version >> (8 * $0)) }
    }

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length, let action = Action(rawValue: bytes[0]) else { return nil }
        self.action = action
        lane = bytes[1]
        key = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        version = bytes[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
