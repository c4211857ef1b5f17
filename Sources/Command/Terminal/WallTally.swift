public import Calotype
import CalotypeCommandLineKit
import TaskFlow

/// Counts a pipeline's picture loads, for the status line of a wall.
///
/// Pass its ``note(_:)`` to ``PipelineConfiguration/observer``.
public final class WallTally: Sendable {
    /// The counts.
    public struct Figures: Hashable, Sendable {
        /// Number of loads in progress.
        public var loading = 0
        /// Number of pictures loaded from their source.
        public var loaded = 0
        /// Number of pictures found in memory.
        public var memoryHits = 0
        /// Number of pictures found on disk, including those that the origin revalidated.
        public var diskHits = 0
        /// Number of cancelled loads.
        public var cancelled = 0
        /// Number of failed loads.
        public var failed = 0

        /// Creates counts of zero.
        public init() {}
    }

    private struct State {
        var figures = Figures()
        var onChange: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())

    /// Creates an empty tally.
    public init() {}

    /// The counts so far.
    public var figures: Figures { state.withLock { $0.figures } }

    /// Counts an event, unless it concerns a document; any thread can call this.
    public func note(_ event: PipelineEvent) {
        guard event.subject == .picture else { return }
        let onChange = state.withLock { state -> (@Sendable () -> Void)? in
            state.figures.note(event.kind) ? state.onChange : nil
        }
        onChange?()
    }

    /// Calls `tell` after each change, on the thread of the change; replaces the previous closure.
    func onChange(_ tell: (@Sendable () -> Void)?) {
        state.withLock { $0.onChange = tell }
    }
}

extension WallTally.Figures {
    /// Counts an event, and returns whether a count changed.
    mutating func note(_ kind: PipelineEvent.Kind) -> Bool {
        switch kind {
        case .started: loading += 1
        case .finished(let origin): end(origin)
        case .failed: end(\.failed)
        case .cancelled: end(\.cancelled)
        case .requested, .received, .decoding, .storeFailed: return false
        }
        return true
    }

    private mutating func end(_ origin: PipelineEvent.Origin) {
        switch origin {
        case .memory: end(\.memoryHits)
        case .store, .revalidated: end(\.diskHits)
        case .own, .shared: end(\.loaded)
        }
    }

    private mutating func end(_ count: WritableKeyPath<WallTally.Figures, Int>) {
        loading -= 1
        self[keyPath: count] += 1
    }
}

/// The status line below a wall; if space is short, the least important counters are left out.
struct WallStatusText {
    private let parts: [(text: String, importance: Int)]
    private let hint = "/ search  ? help  q quit "

    init(_ machine: WallMachine, _ figures: WallTally.Figures) {
        parts = [
            (machine.position ?? "0/0", 0), ("loading \(figures.loading)", 1),
            ("loaded \(figures.loaded)", 4),
            ("memory \(figures.memoryHits)", 3), ("disk \(figures.diskHits)", 6),
            ("cancelled \(figures.cancelled)", 5), ("failed \(figures.failed)", 2),
        ]
    }

    func text(columns: Int) -> String {
        var least = parts.count
        while least > 1, Self.width(chosen(least)) > columns - 2 { least -= 1 }
        let text = " " + chosen(least).joined(separator: "  ")
        let room = columns - TextWidth.columns(of: text)
        guard room > hint.count + 2 else { return text }
        return text + String(repeating: " ", count: room - hint.count) + hint
    }

    private func chosen(_ count: Int) -> [String] {
        parts.filter { $0.importance < count }.map(\.text)
    }

    private static func width(_ texts: [String]) -> Int {
        texts.reduce(0) { $0 + $1.count + 2 } - 2
    }
}
