import CalotypeCommandLineKit

/// The line of figures below a wall: what matters most where there is not room for all.
struct StatusText {
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
