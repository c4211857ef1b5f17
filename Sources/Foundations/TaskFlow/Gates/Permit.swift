/// The right to go on that an admission gate gave, returned when released or dropped.
public final class Permit: Sendable {
    private let gate: AdmissionGate
    private let source: PrioritySource
    /// Nil once released.
    private let held: Guarded<Int?>

    init(gate: AdmissionGate, weight: Int, source: PrioritySource) {
        self.gate = gate
        self.source = source
        held = Guarded(weight)
    }

    deinit {
        release()
    }

    /// The weight that this permit holds; zero after its release.
    public var weight: Int { held.withLock { $0 ?? 0 } }

    /// Gives everything back; a second call changes nothing.
    public func release() {
        let weight = held.withLock { held in
            defer { held = nil }
            return held
        }
        if let weight { gate.giveBack(weight) }
    }

    /// Gives back at once what exceeds `weight`; a permit that holds less stays as it is.
    public func shrink(to weight: Int) {
        let target = max(weight, 0)
        let excess = held.withLock { held -> Int in
            guard let current = held, current > target else { return 0 }
            held = target
            return current - target
        }
        if excess > 0 { gate.giveBack(excess) }
    }

    /// Takes more, up to `weight` in all, if the gate has room and nobody as urgent or more waits.
    ///
    /// Never waits, so that holders cannot block each other. A holder that is alone in the gate may grow beyond it.
    /// - Returns: Whether the permit now holds at least `weight`; false when it has been released.
    public func tryGrow(to weight: Int) -> Bool {
        held.withLock { held in
            guard let current = held else { return false }
            guard current < weight else { return true }
            guard gate.tryGrow(from: current, to: weight, urgency: source.urgency) else { return false }
            held = weight
            return true
        }
    }
}
