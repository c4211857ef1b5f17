import CalotypeCatalog
import CalotypeSamplePictures
import Testing

@testable import CalotypeTerminal

struct WallMachineTests {
    @Test(
        arguments: [
            ([.right], 1), ([.left], 0), ([.down], 4), ([.character("j"), .character("l")], 5), ([.up], 0),
            ([.pageDown], 8), ([.pageDown, .pageUp], 0), ([.end], 49),
            ([.character("G"), .character("g")], 0),
            ([.end, .right], 49), ([.end, .up], 45), ([.end, .left, .left, .up, .down], 47), ([.home], 0),
            ([.end, .up, .right, .right, .down], 49), ([.character(" "), .character("b")], 0),
        ] as [([KeyPress], Int)]
    )
    func `keys move the selection, which stays at the edges`(
        _ keys: [KeyPress],
        _ selection: Int
    ) {
        let machine = WallSamples.machine(WallSamples.pictures(50), pressing: keys)
        #expect(machine.selection == selection)
        #expect(machine.cellsInSight.contains(selection))
    }

    @Test func `a line of cells that leaves goes out of sight, and the next comes in`() {
        var machine = WallSamples.machine(WallSamples.pictures(50))
        #expect(machine.cellsInSight == 0..<8)
        for _ in 0..<2 { _ = machine.press(.down) }
        #expect(machine.cellsInSight == 4..<12)
        _ = machine.press(.end)
        #expect(machine.cellsInSight == 44..<50)
        _ = machine.press(.home)
        _ = machine.press(.pageDown)
        #expect(machine.cellsInSight == 8..<16)
        _ = machine.press(.pageUp)
        #expect(machine.cellsInSight == 0..<8)
    }

    @Test func `after a resize the selection is in sight, and no line is empty that need not be`() {
        var machine = WallSamples.machine(WallSamples.pictures(50), pressing: [.end])
        machine.resize(ScreenSize(columns: 30, rows: 10))
        #expect(machine.cellsInSight == 48..<50)
        machine.resize(ScreenSize(columns: 1, rows: 1))
        #expect(machine.cellsInSight.isEmpty)
        machine.resize(ScreenSize(columns: 200, rows: 60))
        #expect(machine.cellsInSight == 0..<50)
        #expect(machine.selection == 49)
    }

    @Test func `a term is typed, changed and searched for`() {
        var machine = WallSamples.machine(WallSamples.pictures(3))
        let keys: [KeyPress] = [
            .character("/"), .character("q"), .control("u"), .character(" "), .character("c"),
            .character("á"),
            .character("x"), .backspace, .character(" "),
        ]
        for key in keys { #expect(machine.press(key) == nil) }
        #expect(machine.press(.enter) == .search("cá"))
        #expect(machine.overlay == nil)
    }

    @Test(arguments: [.escape, .enter] as [KeyPress])
    func `an empty term is not searched for`(_ key: KeyPress) {
        var machine = WallSamples.machine(
            WallSamples.pictures(3),
            pressing: [.character("/"), .character(" ")]
        )
        #expect(machine.press(key) == nil)
        #expect(machine.overlay == nil)
    }

    @Test func `what is typed is bounded`() {
        var line = EditLine()
        for _ in 0..<1000 { _ = line.press(.character("x")) }
        #expect(line.text.count == EditLine.limit)
        let removed = line.press(.control("w"))
        #expect(removed)
        #expect(line.text.isEmpty)
        let removedNothing = line.press(.backspace)
        #expect(!removedNothing)
    }

    @Test func `Enter opens an app, then its screenshot; Escape goes back the same way`() {
        var machine = WallSamples.machine(WallSamples.apps(50), pressing: [.right, .enter])
        #expect(machine.picturesInSight.map(\.place).contains(.icon))
        #expect(machine.picturesInSight.contains { $0.url == "https://apps.test/1/0.png" })
        _ = machine.press(.right)
        _ = machine.press(.enter)
        #expect(machine.picturesInSight.map(\.url) == ["https://apps.test/1/1.png"])
        _ = machine.press(.right)
        #expect(machine.picturesInSight.map(\.url) == ["https://apps.test/1/2.png"])
        _ = machine.press(.escape)
        #expect(machine.picturesInSight.first { $0.isSelected }?.place == .screenshot(2))
        _ = machine.press(.escape)
        #expect(machine.page == .wall)
        #expect(machine.press(.escape) == .leaveSearch)
    }

    @Test func `Enter shows a picture large, and the arrows lead to its neighbours`() {
        var machine = WallSamples.machine(WallSamples.pictures(50), pressing: [.enter])
        #expect(machine.picturesInSight.map(\.place) == [.large])
        _ = machine.press(.down)
        #expect(machine.picturesInSight.map(\.url) == ["https://pictures.test/1.png"])
        _ = machine.press(.end)
        _ = machine.press(.escape)
        #expect(machine.cellsInSight.contains(49))
        #expect(machine.selection == 49)
        #expect(machine.press(.escape) == nil)
    }

    @Test func `nothing opens where nothing is`() {
        let empty = WallContent(.empty, title: "camera", message: "Nothing was found.")
        var machine = WallSamples.machine(empty, pressing: [.enter, .down, .end])
        #expect(machine.page == .wall)
        #expect(machine.picturesInSight.isEmpty)
        #expect(machine.press(.character("r")) == .retry)
        machine.show(WallContent(.failed, title: "camera", message: "It failed."))
        #expect(machine.press(.character("r")) == .searchAgain)
    }

    @Test func `keys that always mean the same`() {
        var machine = WallSamples.machine(WallSamples.apps(5))
        #expect(machine.press(.control("l")) == .redraw)
        #expect(machine.press(.character("q")) == .quit)
        _ = machine.press(.character("?"))
        #expect(machine.overlay == .help(firstLine: 0))
        _ = machine.press(.escape)
        #expect(machine.overlay == nil)
    }

    @Test func `help scrolls where it does not fit, and no further than its end`() {
        var machine = WallSamples.machine(
            WallSamples.apps(5),
            columns: 30,
            rows: 6,
            pressing: [.character("?")]
        )
        for _ in 0..<50 { _ = machine.press(.down) }
        #expect(machine.overlay == .help(firstLine: WallHelp.lines.count - 5))
        machine.resize(ScreenSize(columns: 80, rows: 40))
        #expect(machine.overlay == .help(firstLine: 0))
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `whatever is pressed at whatever size, the selection is in sight`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = Int.random(in: 0...200, using: &random)
        let content =
            Bool.random(using: &random)
            ? WallSamples.pictures(max(count, 1)) : WallSamples.apps(max(count, 1), screenshots: count % 9)
        var machine = WallSamples.machine(content)
        for _ in 0..<400 {
            change(&machine, &random)
            // Painting takes most of the time.
            expectSound(machine, paints: Int.random(in: 0..<4, using: &random) == 0)
        }
    }

    private func change(_ machine: inout WallMachine, _ random: inout SeededRandom) {
        let keys: [KeyPress] = [
            .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .backspace, .tab,
            .character("/"), .character("?"), .character("r"), .character("x"), .control("u"),
        ]
        if Int.random(in: 0..<10, using: &random) == 0 {
            let columns = Int.random(in: 1...120, using: &random)
            machine.resize(ScreenSize(columns: columns, rows: Int.random(in: 1...50, using: &random)))
        } else {
            _ = machine.press(keys.randomElement(using: &random) ?? .up)
        }
    }

    private func expectSound(_ machine: WallMachine, paints: Bool) {
        let sight = machine.cellsInSight
        #expect(machine.content.entries.indices.contains(machine.selection))
        #expect(sight.count <= machine.layout.capacity)
        #expect(machine.layout.isTooSmall || sight.contains(machine.selection))
        let pictures = machine.picturesInSight
        #expect(Set(pictures.map(\.place)).count == pictures.count)
        for area in pictures.map(\.area) {
            #expect(area.row >= 0 && area.rows > 0 && area.row + area.rows <= machine.size.rows)
            #expect(
                area.column >= 0 && area.columns > 0 && area.column + area.columns <= machine.size.columns
            )
        }
        guard paints else { return }
        #expect(WallPainter(machine: machine, states: [:], figures: .init()).frame().size == machine.size)
    }
}
