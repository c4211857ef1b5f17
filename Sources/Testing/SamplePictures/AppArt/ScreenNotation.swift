/// Paints the screens of apps from text: paragraphs of a name and of lines, each painted over those before.
///
/// A line is a tone, perhaps with an opacity (`ink:.3`), and shapes of ``GlyphText``. The unit is the width of the
/// screen. Other lines are:
///
///     TONE write TEXT X Y HEIGHT WEIGHT     letters and numbers between commas, `_` for a space; `TITLE` and
///                                           `NAME` are random; `=` for X is the middle
///     photo X Y WIDTH HEIGHT CORNER         a drawn photograph
///     set LETTER NUMBER                     gives a letter a value
///     either CHANCE LETTER                  sets a letter to 0 with this chance, otherwise to 1
///     times COUNT LETTER … end              repeats lines and counts from 0 in a letter
///     rows STEP FIT REST MOST … end         repeats lines as often as FIT fits below y and above REST; y grows by STEP
///     until Y … end                         repeats lines while y is less
///     use NAME                              paints another paragraph
///
/// A number is a sum of numbers and letters such as `h-.19+.22i`, where `h` is the screen's height, or random: `~.2~.5`,
/// and `#3#89` for whole numbers. `A|B` is A on a phone and B on a tablet. `A/B/C` takes turns with the letter i, for
/// tones too.
struct ScreenNotation {
    /// Phones have room for a status bar above and tabs below.
    private static let phoneHeight: Float = 1.4

    private let paragraphs: [Substring: [Substring]]
    private let area: ScreenArea
    private var values: [Character: Float]

    /// Prepares to paint on a part of a canvas.
    init(_ text: String, on area: ScreenArea) {
        let parts = text.split(separator: "\n\n").map { $0.split(separator: "\n") }
        paragraphs = Dictionary(uniqueKeysWithValues: parts.map { ($0[0], Array($0.dropFirst())) })
        self.area = area
        values = ["h": area.height, "i": 0, "y": 0]
    }

    /// Paints a paragraph.
    mutating func paint(_ name: String, _ screen: inout AppScreen, on cutout: inout Cutout) {
        guard let lines = paragraphs[name[...]] else { Self.fail(name[...]) }
        paint(lines[...], &screen, &cutout)
    }

    private mutating func paint(
        _ lines: ArraySlice<Substring>,
        _ screen: inout AppScreen,
        _ cutout: inout Cutout
    ) {
        var lines = lines
        while let line = lines.popFirst() {
            let words = line.split(separator: " ")
            switch words[0] {
            case "use": paint(String(words[1]), &screen, on: &cutout)
            case "set": values[Self.letter(words[1])] = number(words[2], &screen.random)
            case "either":
                let chance = number(words[1], &screen.random)
                values[Self.letter(words[2])] = screen.random.chance(chance) ? 0 : 1
            case "photo":
                let n = words.dropFirst().map { number($0, &screen.random) }
                screen.photo(area.part(n[0], n[1], n[2], n[3]), corner: n[4], on: &cutout)
            case "times", "rows", "until": repeatBlock(words, Self.block(&lines), &screen, &cutout)
            case _ where words[1] == "write": write(words, &screen, &cutout)
            default: fill(words, &screen, &cutout)
            }
        }
    }

    private mutating func repeatBlock(
        _ words: [Substring],
        _ block: ArraySlice<Substring>,
        _ screen: inout AppScreen,
        _ cutout: inout Cutout
    ) {
        switch words[0] {
        case "times":
            for index in 0..<Int(number(words[1], &screen.random)) {
                values[Self.letter(words[2])] = Float(index)
                paint(block, &screen, &cutout)
            }
        case "rows":
            let n = words.dropFirst().map { number($0, &screen.random) }
            let top = value("y")
            for row in 0..<max(1, min(Int(n[3]), Int((area.height - top - n[2]) / n[1]))) {
                values["i"] = Float(row)
                values["y"] = top + Float(row) * n[0]
                paint(block, &screen, &cutout)
            }
        default: while value("y") < number(words[1], &screen.random) { paint(block, &screen, &cutout) }
        }
    }

    private mutating func fill(_ words: [Substring], _ screen: inout AppScreen, _ cutout: inout Cutout) {
        let parts = words.dropFirst().map { word in
            Self.isName(word) ? word : "\(number(word, &screen.random))"[...]
        }
        let shape = GlyphText.shape(of: parts[...]).placed(area.x, area.y, scale: area.width)
        let (paint, opacity) = tone(words[0], screen)
        cutout.fill(shape, paint, opacity: opacity)
    }

    private mutating func write(_ words: [Substring], _ screen: inout AppScreen, _ cutout: inout Cutout) {
        let text = words[2].split(separator: ",").map { part -> String in
            switch part {
            case "TITLE": screen.random.one(of: AppScreen.titles)
            case "NAME": screen.random.one(of: AppScreen.names)
            case _ where part.first == "#": "\(Int(number(part, &screen.random)))"
            default: String(part.replacing("_", with: " "))
            }
        }.joined()
        let height = number(words[5], &screen.random)
        let x = words[3] == "=" ? 0.5 - Lettering.width(text) * height / 2 : number(words[3], &screen.random)
        let weight = words.count > 6 ? number(words[6], &screen.random) : 0.17
        let (paint, opacity) = tone(words[0], screen)
        let y = number(words[4], &screen.random)
        cutout.fill(area.text(text, x, y, height, weight: weight), paint, opacity: opacity)
    }

    private func tone(_ word: Substring, _ screen: AppScreen) -> (Paint, opacity: Float) {
        let parts = choice(word).split(separator: ":")
        guard let paint = screen.paint(parts[0], index: value("i")) else { Self.fail(word) }
        return (paint, parts.count > 1 ? Float(parts[1]) ?? 1 : 1)
    }

    // MARK: Numbers

    private mutating func number(_ word: Substring, _ random: inout SeededRandom) -> Float {
        let word = choice(word)
        if word.first == "~" || word.first == "#" {
            let ends = word.split(separator: word.first ?? "~").compactMap { Float($0) }
            return word.first == "~"
                ? random.number(ends[0]...ends[1]) : Float(random.whole(Int(ends[0])...Int(ends[1])))
        }
        var (sum, rest) = (Float(0), word)
        while let first = rest.first {
            if first == "-" || first == "+" { rest.removeFirst() }
            let digits = rest.prefix { $0.isNumber || $0 == "." }
            rest.removeFirst(digits.count)
            var term = Float(digits) ?? 1
            if let letter = rest.first, letter.isLetter {
                term *= value(letter)
                rest.removeFirst()
            }
            sum += first == "-" ? -term : term
        }
        return sum
    }

    /// Returns the part of a word that holds for this screen and this turn.
    private func choice(_ word: Substring) -> Substring {
        let devices = word.split(separator: "|")
        let turns = (area.height > Self.phoneHeight ? devices[0] : devices[devices.count - 1]).split(
            separator: "/"
        )
        return turns[Int(value("i")) % turns.count]
    }

    private func value(_ letter: Character) -> Float {
        guard let value = values[letter] else { Self.fail("\(letter)") }
        return value
    }

    // MARK: Lines

    /// Takes the lines of a block and its end.
    private static func block(_ lines: inout ArraySlice<Substring>) -> ArraySlice<Substring> {
        var depth = 1
        let block = lines.prefix { line in
            if line == "end" { depth -= 1 }
            if line.hasPrefix("times") || line.hasPrefix("rows") || line.hasPrefix("until") { depth += 1 }
            return depth > 0
        }
        lines = lines.dropFirst(block.count + 1)
        return block
    }

    private static func isName(_ word: Substring) -> Bool { word.count > 1 && word.allSatisfy(\.isLetter) }

    private static func letter(_ word: Substring) -> Character { word.first ?? "i" }

    private static func fail(_ text: Substring) -> Never { preconditionFailure("a screen says \(text)") }
}
