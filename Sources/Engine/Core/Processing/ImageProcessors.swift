/// The processors that Calotype has.
public enum ImageProcessors: Sendable {
    /// Makes what lies outside of rounded corners transparent, with smooth edges.
    public struct RoundedCorners: ImageProcessing {
        /// The radius in pixels of the result; half the shorter side if that is less.
        public let radius: Double

        /// Creates the step; a radius that is negative or not a number counts as 0.
        public init(radius: Double) {
            self.radius = radius > 0 ? radius : 0
        }

        /// The name of the step with its settings.
        public var identifier: String { "calotype rounded corners \(radius)" }

        /// Returns the new pixels.
        public func process(_ bitmap: Bitmap) -> Bitmap {
            let (width, height) = (bitmap.size.width, bitmap.size.height)
            let radius = min(radius, Double(min(width, height)) / 2)
            guard radius > 0 else { return bitmap }
            var result = bitmap
            var pixels = result.rgba.mutableSpan
            let reach = min(Int(radius.rounded(.up)), height, width)
            // The centres of all four circles have this distance from the edges.
            for row in 0..<reach {
                let down = radius - (Double(row) + 0.5)
                for column in 0..<reach {
                    let across = radius - (Double(column) + 0.5)
                    guard down > 0, across > 0 else { continue }
                    let distance = (down * down + across * across).squareRoot()
                    let coverage = min(max(radius - distance + 0.5, 0), 1)
                    guard coverage < 1 else { continue }
                    for (x, y) in Self.corners(column, row, bitmap.size) {
                        let place = (y * width + x) * 4 + 3
                        pixels[place] = UInt8((Double(bitmap.rgba[place]) * coverage).rounded())
                    }
                }
            }
            return result
        }

        private static func corners(_ x: Int, _ y: Int, _ size: PixelSize) -> [(x: Int, y: Int)] {
            let (right, bottom) = (size.width - 1 - x, size.height - 1 - y)
            return [(x, y), (right, y), (x, bottom), (right, bottom)]
        }
    }

    /// Cuts out the largest circle in the middle; the result is square.
    public struct Circle: ImageProcessing {
        /// Creates the step.
        public init() {}

        /// The name of the step with its settings.
        public var identifier: String { "calotype circle" }

        /// Returns the new pixels.
        public func process(_ bitmap: Bitmap) -> Bitmap {
            let side = min(bitmap.size.width, bitmap.size.height)
            let (left, top) = ((bitmap.size.width - side) / 2, (bitmap.size.height - side) / 2)
            var square: [UInt8] = []
            square.reserveCapacity(side * side * 4)
            for row in top..<top + side {
                let start = row * bitmap.rowBytes + left * 4
                square += bitmap.rgba[start..<start + side * 4]
            }
            let middle = Bitmap(size: PixelSize(width: side, height: side), rgba: square)
            return RoundedCorners(radius: Double(side) / 2).process(middle)
        }
    }

    /// Replaces each colour by the grey of the same lightness.
    ///
    /// It weighs red, green and blue as the `grayscale` filter of CSS does (W3C Filter Effects, Module Level 1).
    public struct Greyscale: ImageProcessing {
        /// Creates the step.
        public init() {}

        /// The name of the step with its settings.
        public var identifier: String { "calotype greyscale" }

        /// Returns the new pixels.
        public func process(_ bitmap: Bitmap) -> Bitmap {
            var result = bitmap
            var pixels = result.rgba.mutableSpan
            for place in stride(from: 0, to: pixels.count, by: 4) {
                let (red, green) = (2126 * Int(pixels[place]), 7152 * Int(pixels[place + 1]))
                let sum: Int = red + green + 722 * Int(pixels[place + 2])
                let grey = UInt8((sum + 5000) / 10_000)
                for channel in 0..<3 { pixels[place + channel] = grey }
            }
            return result
        }
    }

    /// Mixes each pixel with a colour; transparency stays.
    public struct Tint: ImageProcessing {
        /// The colour.
        public let colour: Colour
        /// The part of the colour in the mix, from 0 to 1.
        public let strength: Double

        /// Creates the step; a strength outside of 0 to 1 counts as the nearer of them, and NaN as 0.
        public init(_ colour: Colour, strength: Double) {
            self.colour = colour
            self.strength = strength > 0 ? min(strength, 1) : 0
        }

        /// The name of the step with its settings.
        public var identifier: String {
            "calotype tint \(colour.red),\(colour.green),\(colour.blue) \(strength)"
        }

        /// Returns the new pixels.
        public func process(_ bitmap: Bitmap) -> Bitmap {
            let tables = [table(colour.red), table(colour.green), table(colour.blue)]
            var result = bitmap
            var pixels = result.rgba.mutableSpan
            for place in stride(from: 0, to: pixels.count, by: 4) {
                for channel in 0..<3 {
                    pixels[place + channel] = tables[channel][Int(pixels[place + channel])]
                }
            }
            return result
        }

        /// The new value of each value of a channel.
        private func table(_ part: UInt8) -> [UInt8] {
            (0...255).map { (old: Int) -> UInt8 in
                let mixed = Double(old) + (Double(part) - Double(old)) * strength
                return UInt8(mixed.rounded())
            }
        }
    }

    /// Lays other pixels on the middle of the picture; parts that extend beyond it are cut off.
    public struct Overlay: ImageProcessing {
        /// The name of the pixels: other pixels need another name.
        public let name: String
        /// What is laid on the picture.
        public let bitmap: Bitmap

        /// Creates the step; see ``name`` for what it must be.
        public init(_ bitmap: Bitmap, name: String) {
            self.bitmap = bitmap
            self.name = name
        }

        /// The name of the step with its settings.
        public var identifier: String { "calotype overlay \(name)" }

        /// Returns the new pixels.
        public func process(_ bitmap: Bitmap) -> Bitmap {
            let (below, above) = (bitmap.size, self.bitmap.size)
            let (left, top) = ((below.width - above.width) / 2, (below.height - above.height) / 2)
            var result = bitmap
            var pixels = result.rgba.mutableSpan
            for y in max(top, 0)..<max(min(top + above.height, below.height), max(top, 0)) {
                for x in max(left, 0)..<max(min(left + above.width, below.width), max(left, 0)) {
                    let source = (y - top) * self.bitmap.rowBytes + (x - left) * 4
                    Self.blend(self.bitmap.rgba, source, onto: &pixels, (y * below.width + x) * 4)
                }
            }
            return result
        }

        /// Lays one pixel on another ("source over" of Porter and Duff, Compositing Digital Images, 1984).
        private static func blend(
            _ source: [UInt8],
            _ from: Int,
            onto pixels: inout MutableSpan<UInt8>,
            _ place: Int
        ) {
            let (above, below) = (Double(source[from + 3]) / 255, Double(pixels[place + 3]) / 255)
            let alpha = above + below * (1 - above)
            guard alpha > 0 else { return }
            for channel in 0..<3 {
                let top = Double(source[from + channel]) * above
                let rest = Double(pixels[place + channel]) * below * (1 - above)
                pixels[place + channel] = UInt8(((top + rest) / alpha).rounded())
            }
            pixels[place + 3] = UInt8((alpha * 255).rounded())
        }
    }
}

extension ImageProcessing where Self == ImageProcessors.RoundedCorners {
    /// Makes what lies outside of corners with this radius, in pixels of the result, transparent.
    public static func roundedCorners(_ radius: Double) -> Self { Self(radius: radius) }
}

extension ImageProcessing where Self == ImageProcessors.Circle {
    /// Cuts out the largest circle in the middle.
    public static var circle: Self { Self() }
}

extension ImageProcessing where Self == ImageProcessors.Greyscale {
    /// Replaces each colour by the grey of the same lightness.
    public static var greyscale: Self { Self() }
}

extension ImageProcessing where Self == ImageProcessors.Tint {
    /// Mixes each pixel with `colour`; `strength` is its part, from 0 to 1.
    public static func tint(_ colour: Colour, strength: Double) -> Self { Self(colour, strength: strength) }
}

extension ImageProcessing where Self == ImageProcessors.Overlay {
    /// Lays `bitmap` on the middle of the picture; other pixels need another `name`.
    public static func overlay(_ bitmap: Bitmap, name: String) -> Self { Self(bitmap, name: name) }
}
