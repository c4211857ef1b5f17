import CalotypeCore
import CalotypeFiles

/// A record that cannot be read.

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

    /// Adds a case of an enumeration, by its index.
    mutating func add<Choice: CaseIterable & Equatable>(choice: Choice) {
        add(Array(Choice.allCases).firstIndex(of: choice) ?? 0)
    }
}

extension RecordReader {
    mutating func bits() throws(SystemError) -> UInt64 {
        let half = 0...0xFFFF_FFFF
        let high = try number(in: half)
        return UInt64(high) << 32 | UInt64(try number(in: half))
    }

    mutating func double() throws(SystemError) -> Double {
        Double(bitPattern: try bits())
    }

    mutating func signed() throws(SystemError) -> Int {
        Int(Int64(bitPattern: try bits()))
    }

    mutating func duration() throws(SystemError) -> Duration {
        let seconds = Int64(bitPattern: try bits())
        return Duration(
            secondsComponent: seconds,
            attosecondsComponent: Int64(bitPattern: try bits())
        )
    }

    mutating func size() throws(SystemError) -> PixelSize {
        let width = try signed()
        return PixelSize(width: width, height: try signed())
    }

    mutating func choice<Choice: CaseIterable>(
        _ type: Choice.Type = Choice.self
    ) throws(SystemError) -> Choice {
        let cases = Array(Choice.allCases)
        return cases[try number(in: 0...cases.count - 1)]
    }
}

extension RecordWriter {
    mutating func add(_ facts: ImageFacts) {
        add(choice: facts.format)
        add(facts.storedSize)
        add(signed: facts.orientation)
        add(optional: facts.frames) { $0.add(signed: $1) }
        add(facts.needsWholePicture)
        add(facts.hasAlpha)
        add(signed: facts.bitDepth)
        add(optional: facts.profile) { $0.add($1) }
    }

    /// Adds the limits that a decoder needs; sizes are filtered before.
    mutating func add(_ limits: ImageLimits) {
        add(signed: limits.sourceBytes.bytes)
        add(signed: limits.pixels)
        add(signed: limits.streamedPixels)
        add(limits.decodeTime)
        add(limits.acceptsTruncated)
    }

    mutating func add(_ error: CalotypeError) {
        add(error.code.rawValue)
        add(error.message)
        add(error.stage.rawValue)
    }
}

extension RecordReader {
    mutating func facts() throws(SystemError) -> ImageFacts {
        let format = try choice(ImageFormat.self)
        var facts = ImageFacts(format: format, storedSize: try size())
        facts.orientation = try signed()
        facts.frames = try optional { reader throws(SystemError) in try reader.signed() }
        facts.needsWholePicture = try flag()
        facts.hasAlpha = try flag()
        facts.bitDepth = try signed()
        facts.profile = try optional { reader throws(SystemError) in try reader.text() }
        return facts
    }

    mutating func limits() throws(SystemError) -> ImageLimits {
        var limits = ImageLimits()
        limits.sourceBytes = ByteCount(try signed())
        limits.pixels = try signed()
        limits.streamedPixels = try signed()
        limits.decodeTime = try duration()
        limits.acceptsTruncated = try flag()
        return limits
    }

    /// Reads an error from a worker, which may send anything: the code must look like one.
    mutating func error() throws(SystemError) -> CalotypeError {
        let word = try text()
        let message = try text()
        let isWord = word.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        }
        guard isWord, 1...64 ~= word.utf8.count, let stage = CalotypeError.Stage(rawValue: try text()) else {
            throw .notARecord
        }
        return CalotypeError(ErrorCode(rawValue: word), message, stage: stage)
    }
}
