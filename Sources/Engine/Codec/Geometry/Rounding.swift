/// The ways in which sizes and places are rounded to whole pixels.
enum Rounding {
    /// Beyond every limit of pixels, and far from overflow.
    private static let most = 1e9
    /// More than what a few divisions lose, less than the distance of any quotient of two sides from a half.
    private static let lost = 1e-7

    /// The nearest number of pixels, halves up; at least 1.
    static func side(_ length: Double) -> Int { max(1, pixels(length)) }

    /// The nearest number of pixels, halves up.
    static func pixels(_ length: Double) -> Int { whole((length + 0.5 + lost).rounded(.down)) }

    /// The nearest number of pixels, halves to the even one.
    static func even(_ length: Double) -> Int { whole(length.rounded(.toNearestOrEven)) }

    private static func whole(_ length: Double) -> Int {
        length.isNaN ? 0 : Int(max(-most, min(most, length)))
    }
}
