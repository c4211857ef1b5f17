/// How a terminal shows pictures.
public enum PictureStyle: Hashable, Sendable, CustomStringConvertible {
    /// As pixels, in the graphics protocol of kitty, which other terminals speak too.
    case kitty
    /// As pixels, in DEC's sixel format.
    case sixel
    /// As characters that divide a cell into two colours.
    case symbols(Colours)
    /// Not at all.
    case none

    /// How many colours a terminal shows.
    public enum Colours: Int, Hashable, Sendable {
        /// The terminal's own sixteen.
        case sixteen = 16
        /// The 256 of xterm's palette.
        case indexed = 256
        /// All of 24 bits.
        case direct = 16_777_216
    }

    /// The word for it on the command line.
    public var description: String {
        switch self {
        case .kitty: "kitty"
        case .sixel: "sixel"
        case .symbols: "symbols"
        case .none: "none"
        }
    }
}
