import TaskFlow

/// What a pool has and who fills it: its rules, without locks or tasks.
struct PoolState<Picture: Sendable>: Sendable {
    /// One preload, shared by all who ask meanwhile.
    struct Fill: Sendable {
        let number: UInt64
        /// The first picture, or why there is none.
        let first = Latch<Result<Picture, any Error>>()
        var task: ScopedTask?
    }

    enum Answer: Sendable {
        case picture(Picture)
        case wait(Fill)
        /// Nothing is under way: start this and wait for it.
        case start(Fill)
    }

    private(set) var pictures: [Picture] = []
    /// The preload under way.
    private(set) var fill: Fill?
    private var lastFill: UInt64 = 0

    mutating func ask(_ random: inout any RandomNumberGenerator & Sendable) -> Answer {
        if let picture = pictures.randomElement(using: &random) { return .picture(picture) }
        if let fill { return .wait(fill) }
        lastFill += 1
        let fill = Fill(number: lastFill)
        self.fill = fill
        return .start(fill)
    }

    /// Keeps the task of a preload; false when the preload does not count any more, so that the task is to be cancelled.
    mutating func attach(_ task: ScopedTask, to number: UInt64) -> Bool {
        guard fill?.number == number else { return false }
        fill?.task = task
        return true
    }

    /// Keeps a picture, unless its preload does not count any more.
    mutating func add(_ picture: Picture, from number: UInt64) {
        if fill?.number == number { pictures.append(picture) }
    }

    /// Ends a preload that went to its end; what it loaded stays.
    mutating func finish(_ number: UInt64) {
        if fill?.number == number { fill = nil }
    }

    /// Forgets everything and gives it back: the preload is to be cancelled, the rest to be let go.
    mutating func end() -> (fill: Fill?, pictures: [Picture]) {
        defer {
            fill = nil
            pictures = []
        }
        return (fill, pictures)
    }
}
