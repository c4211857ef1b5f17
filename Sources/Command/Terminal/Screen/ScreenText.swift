import CalotypeCommandLineKit

/// Text from anywhere as characters that a cell of the screen takes.
enum ScreenText {
    /// A character can carry any number of marks; nobody reads more than these, and some terminals choke on them.
    private static let mostScalars = 6

    /// What is shown of `character`, and how many columns it takes; `nil` where there is nothing to show.
    ///
    /// Joined emoji become their first part, without colours of skin and variation selectors: terminals do not agree on how
    /// wide they are.
    static func cell(for character: Character) -> (character: Character, columns: Int)? {
        guard !character.isASCII else {
            let columns = TextWidth.columns(of: character)
            return columns > 0 ? (character, columns) : nil
        }
        let shown = reduced(character)
        let columns = TextWidth.columns(of: shown)
        return columns > 0 ? (shown, columns) : nil
    }

    private static func reduced(_ character: Character) -> Character {
        let scalars = character.unicodeScalars
        guard scalars.count > 1, let first = scalars.first else { return character }
        var kept = String.UnicodeScalarView([first])
        for scalar in scalars.dropFirst() {
            guard kept.count < mostScalars, scalar.properties.generalCategory != .format else { break }
            if !scalar.properties.isVariationSelector, !scalar.properties.isEmojiModifier {
                kept.append(scalar)
            }
        }
        return String(kept).first ?? character
    }
}
