import CalotypeCore

/// Pixels from one of our own decoders, which only read simple formats: 8 bits per channel.
struct SimplePicture {
    let size: PixelSize
    /// 1 for grey and 3 for red, green and blue, in sRGB without a ``profile``, or one more with alpha; 4 for inks.
    let channels: Int
    /// Whether the channels are cyan, magenta, yellow and black.
    let isInInks: Bool
    /// The ICC profile of the colours; empty if there is none.
    let profile: [UInt8]
    /// The samples, row by row from the top.
    private(set) var samples: [UInt8]

    /// Creates a picture whose samples are all 0.
    init(_ size: PixelSize, channels: Int, isInInks: Bool = false, profile: [UInt8] = []) {
        self.size = size
        self.channels = channels
        self.isInInks = isInInks
        self.profile = profile
        samples = [UInt8](repeating: 0, count: size.pixelCount * channels)
    }

    /// Sets one sample of a pixel, which must be inside the picture.
    mutating func set(_ x: Int, _ y: Int, channel: Int, to sample: UInt8) {
        samples[(y * size.width + x) * channels + channel] = sample
    }

    /// Changes the samples of one pixel, except its alpha, which is the last.
    mutating func change(_ pixel: Int, _ changed: (UInt8) -> UInt8) {
        for place in pixel * channels..<(pixel + 1) * channels - 1 {
            samples[place] = changed(samples[place])
        }
    }

    /// Sets one pixel in colour, which must be inside the picture; `alpha` counts only if there is a channel for it.
    mutating func set(_ x: Int, _ y: Int, _ colour: (UInt8, UInt8, UInt8), alpha: UInt8 = 255) {
        let start = (y * size.width + x) * channels
        samples[start] = colour.0
        samples[start + 1] = colour.1
        samples[start + 2] = colour.2
        if channels == 4 { samples[start + 3] = alpha }
    }

    /// Makes one pixel transparent.
    mutating func clear(_ x: Int, _ y: Int) { samples[(y * size.width + x) * channels + 3] = 0 }

    /// Makes all pixels opaque.
    mutating func fillAlpha() {
        for place in stride(from: channels - 1, to: samples.count, by: channels) { samples[place] = 255 }
    }

    /// Whether all pixels are transparent.
    var isInvisible: Bool {
        stride(from: channels - 1, to: samples.count, by: channels).allSatisfy { samples[$0] == 0 }
    }
}

extension KillSwitch {
    /// Ends a decode whose switch was pulled; the error's reason is then that of the switch.
    func checkRow() throws(CodecError) {
        if isPulled { throw .corrupt("the decode was stopped") }
    }
}

extension ImageFormat {
    /// Whether the format is decoded only in worker processes.
    ///
    /// libvips itself marks the loaders of these formats as unsafe for untrusted files.
    var needsWorker: Bool { self == .jp2 || self == .jxl || self == .svg }
}
