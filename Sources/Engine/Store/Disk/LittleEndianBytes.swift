extension [UInt8] {
    /// Adds the bytes of `number`, the lowest first.
    mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        for byte in 0..<Number.bitWidth / 8 {
            append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
        }
    }

    /// The number whose bytes begin at `place`; all of them must be there.
    func littleEndian<Number: FixedWidthInteger>(_: Number.Type, at place: Int) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { number, byte in
            number | Number(truncatingIfNeeded: self[place + byte]) << (8 * byte)
        }
    }
}
