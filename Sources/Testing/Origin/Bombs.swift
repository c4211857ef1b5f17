/// Small bodies that claim or unfold to something huge.
enum Bombs {
    /// A PNG of a few kilobytes whose header says 65,000 x 65,000 pixels; its data are zeros and end early.
    static let png = PNGFile.bytes(
        width: 65_000,
        height: 65_000,
        zlib: [0x78, 0xda] + Deflate.zeros(count: 1 << 20)
    )

    /// A gzip stream of 1.6 MB that unfolds to 256 MiB of zeros.
    static let gzip: [UInt8] = {
        let count = 256 << 20
        let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        let trailer = CRC32.ofZeros(count).littleEndianBytes + UInt32(count).littleEndianBytes
        return header + Deflate.zeros(count: count) + trailer
    }()
}
