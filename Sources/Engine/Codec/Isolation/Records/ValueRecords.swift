import CalotypeCore

/// What a record cannot be read for.
typealias RecordDamage = RecordReader.Damage

extension RecordWriter {
    /// Adds 64 bits as they are.
    mutating func add(bits: UInt64) {
        add(Int(bits >> 32))
        add(Int(bits & 0xFFFF_FFFF))
    }

    mutating func add(_ number: Double) {
        add(bits: number.bitPattern)
    }

    /// Adds a number that may be negative.
    mutating func add(signed number: Int) {
        add(bits: UInt64(bitPattern: Int64(number)))
    }

    mutating func add(_ duration: Duration) {
        add(bits: UInt64(bitPattern: duration.components.seconds))
        add(bits: UInt64(bitPattern: duration.components.attoseconds))
    }

    mutating func add(_ size: PixelSize) {
        add(signed: size.width)
        add(signed: size.height)
    }

    /// Adds one of the cases of an enumeration, by its place among them.
    mutating func add<Choice: CaseIterable & Equatable>(choice: Choice) {
        add(Array(Choice.allCases).firstIndex(of: choice) ?? 0)
    }
}

extension RecordReader {
    mutating func bits() throws(RecordDamage) -> UInt64 {
        let half = 0...0xFFFF_FFFF
        let high = try number(in: half)
        return UInt64(high) << 32 | UInt64(try number(in: half))
    }

    mutating func double() throws(RecordDamage) -> Double {
        Double(bitPattern: try bits())
    }

    mutating func signed() throws(RecordDamage) -> Int {
        Int(Int64(bitPattern: try bits()))
    }

    mutating func duration() throws(RecordDamage) -> Duration {
        let seconds = Int64(bitPattern: try bits())
        return Duration(
            secondsComponent: seconds,
            attosecondsComponent: Int64(bitPattern: try bits())
        )
    }

    mutating func size() throws(RecordDamage) -> PixelSize {
        let width = try signed()
        return PixelSize(width: width, height: try signed())
    }

    mutating func choice<Choice: CaseIterable>(
        _ type: Choice.Type = Choice.self
    ) throws(RecordDamage) -> Choice {
        let cases = Array(Choice.allCases)
        return cases[try number(in: 0...cases.count - 1)]
    }
}
