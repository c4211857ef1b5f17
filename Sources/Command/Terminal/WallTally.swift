public import Calotype
import CalotypeCommandLineKit
import TaskFlow

/// Counts what becomes of a pipeline's loads of pictures, for the line below a wall.
///
/// Give its ``note(_:)`` to ``PipelineConfiguration/observer``.
public final class WallTally: Sendable {
    /// The counts so far.
    public struct Figures: Hashable, Sendable {
        /// Loads that have begun and not ended.
        public var loading = 0
        /// Pictures that were loaded from where they are.
        public var loaded = 0
        /// Pictures that were in memory.
        public var memoryHits = 0
        /// Pictures that were on the disk, those included of which the origin said that they are still right.
        public var diskHits = 0
        /// Loads that were cancelled.
        public var cancelled = 0
        /// Loads that failed.
        public var failed = 0

        /// Creates figures of nothing.
        public init() {}
    }

    private struct State {
        var figures = Figures()
        var onChange: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())

    /// Creates a tally of nothing.
    public init() {}

    /// The counts so far.
    public var figures: Figures { state.withLock { $0.figures } }

    /// Counts an event, unless it is about a document; from any thread.
    public func note(_ event: PipelineEvent) {
        guard event.subject == .picture else { return }
        let onChange = state.withLock { state -> (@Sendable () -> Void)? in
            state.figures.note(event.kind) ? state.onChange : nil
        }
        onChange?()
    }

    /// Calls `tell` after each change, on the thread where it happens; in place of the one before.
    func onChange(_ tell: (@Sendable () -> Void)?) {
        state.withLock { $0.onChange = tell }
    }
}

extension WallTally.Figures {
    /// Whether the event changed a count.
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

/// The line of figures below a wall: what matters most where there is not room for all.
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
