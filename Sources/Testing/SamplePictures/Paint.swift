import Glibc

/// A colour while it is worked with: red, green and blue, 0 for none to 1 for full, more where light adds up.
struct Paint: Sendable {
    var r: Float
    var g: Float
    var b: Float

    init(_ r: Float, _ g: Float, _ b: Float) {
        self.r = r
        self.g = g
        self.b = b
    }

    /// Creates a colour from its web notation, such as `0xff8800`.
    init(_ hex: UInt32) {
        self.init(
            Float(hex >> 16 & 255) / 255,
            Float(hex >> 8 & 255) / 255,
            Float(hex & 255) / 255
        )
    }

    /// Creates a colour from hue (0 to 1, red at both ends), saturation and value.
    init(hue: Float, saturation: Float, value: Float) {
        func channel(_ offset: Float) -> Float {
            let k = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            return value - value * saturation * max(0, min(k, 4 - k, 1))
        }
        self.init(channel(5), channel(3), channel(1))
    }

    static let black = Paint(0, 0, 0)
    static let white = Paint(1, 1, 1)

    /// This colour mixed with `other`: 0 is this one, 1 the other.
    func mixed(_ other: Paint, _ t: Float) -> Paint {
        Paint(r + (other.r - r) * t, g + (other.g - g) * t, b + (other.b - b) * t)
    }

    static func + (a: Paint, b: Paint) -> Paint { Paint(a.r + b.r, a.g + b.g, a.b + b.b) }

    static func * (a: Paint, k: Float) -> Paint { Paint(a.r * k, a.g * k, a.b * k) }

    static func * (a: Paint, b: Paint) -> Paint { Paint(a.r * b.r, a.g * b.g, a.b * b.b) }
}

/// The smooth step from 0 at `from` to 1 at `to`.
func ramp(_ value: Float, _ from: Float, _ to: Float) -> Float {
    let t = max(0, min(1, (value - from) / (to - from)))
    return t * t * (3 - 2 * t)
}
