import CalotypePlatform
import Testing

@testable import CalotypeCommandLineKit

@Suite(.timeLimit(.minutes(1)))
struct ProgressRowsTests {
    private static func frame(_ rows: [ProgressRow]) -> ProgressFrame {
        var frame = ProgressFrame(parts: ["1 of 2", "3 MB of 9 MB"], fraction: 0.5)
        frame.rows = rows
        frame.title = "in all"
        return frame
    }

    @Test func `each thing has a row, and all together the last line`() {
        let frame = Self.frame([
            .init("boats.jpg", fraction: 1, parts: ["ready"], .done),
            .init("日本.mp4", fraction: 0.126, parts: ["1 MB of 8 MB", "connection reset, again in 3 s"]),
        ])
        #expect(
            frame.lines(width: 80, height: 24) == [
                "boats.jpg  [====================]  100%  ready",
                "日本.mp4   [==                  ]   12%  1 MB of 8 MB  connection reset, again…",
                "in all     [==========          ]   50%  1 of 2  3 MB of 9 MB",
            ]
        )
        #expect(
            frame.lines(width: 30, height: 24) == [
                "boats.jpg  100%  ready", "日本.mp4    12%  1 MB of 8 MB", "in all      50%  1 of 2",
            ]
        )
    }

    @Test(arguments: 1...40) func `no line is wider than the terminal`(width: Int) {
        let rows = [
            ProgressRow("a very long name 名前.jpeg", fraction: 0.5, parts: ["\u{1B}[31mred", "second part"])
        ]
        for line in Self.frame(rows).lines(width: width, height: 24) {
            #expect(TextWidth.columns(of: line) <= width && !line.contains("\u{1B}"))
        }
    }

    @Test func `if there is no space for all, active rows are shown and the rest is counted`() {
        let rows = (0..<9).map { number in
            ProgressRow("\(number)", number < 4 ? .done : number < 7 ? .waiting : .active)
        }
        func names(_ height: Int) -> [String] {
            Self.frame(rows).lines(width: 40, height: height).map { line in
                line.hasPrefix("and") ? line : String(line.prefix { $0 != " " })
            }
        }
        #expect(names(10) == ["0", "1", "2", "3", "4", "5", "6", "7", "8", "in"])
        #expect(names(9) == ["0", "1", "4", "5", "6", "7", "8", "and 2 more: 2 done", "in"])
        #expect(names(5) == ["4", "7", "8", "and 6 more: 2 waiting, 4 done", "in"])
        #expect(names(3) == ["7", "and 8 more: 1 active, 3 waiting, 4 done", "in"])
        #expect(names(2) == ["7", "in"] && names(1).count == 1)
    }

    @Test func `rows are redrawn in place, and all are taken away at the end`() async {
        let file = OutputFile()
        let clock = StillClock()
        let line = ProgressLine(output: file.output, style: .terminal, clock: clock)
        await line.show(Self.frame([.init("a"), .init("b")]))
        clock.move(milliseconds: 100)
        await line.show(Self.frame([.init("a", .done)]))
        await line.message("careful")
        await line.finish()
        let all = "in all  [==========          ]   50%  1 of 2  3 MB of 9 MB\u{1B}[K"
        #expect(
            file.text
                == "\ra     \u{1B}[K\nb     \u{1B}[K\n\(all)" + "\r\u{1B}[2Aa     \u{1B}[K\n\(all)\u{1B}[J"
                + "\r\u{1B}[1A\u{1B}[K\u{1B}[Jcareful\n\ra     \u{1B}[K\n\(all)\r\u{1B}[1A\u{1B}[K\u{1B}[J"
        )
    }

    @Test func `elsewhere only the line for all is printed`() async {
        let file = OutputFile()
        let clock = StillClock()
        let line = ProgressLine(output: file.output, clock: clock)
        await line.show(Self.frame([.init("a")]))
        clock.move(milliseconds: 10_000)
        await line.show(Self.frame([.init("a")]))
        #expect(file.text == "[==========          ]  in all  1 of 2  3 MB of 9 MB\n")
    }

    @Test func `only what is done is 100 percent`() {
        #expect(ProgressBar.percent(0.9999) == " 99%" && ProgressBar.percent(1) == "100%")
        #expect(ProgressBar.percent(.nan) == "  0%" && ProgressBar.percent(7) == "100%")
        #expect(ProgressBar.text(-1, cells: 3) == "[   ]")
        #expect(ProgressBar.text(0.25, underWay: 0.5, cells: 4) == "[=-  ]")
        #expect(ProgressBar.text(0.5, underWay: 0.2, cells: 4) == "[==  ]")
    }
}
