/// Reads a zip file by its central directory (APPNOTE 4.3), as far as stored members go.
struct ZipDirectory {
    struct Member {
        let name: String
        let content: [UInt8]
    }

    struct Damaged: Error {
        let what: String
    }

    let members: [Member]

    init(_ bytes: [UInt8]) throws {
        let end = bytes.indices.dropLast(21).last { bytes[$0...].starts(with: [0x50, 0x4B, 5, 6]) }
        guard let end else { throw Damaged(what: "there is no end of the directory") }
        var place = Self.number(bytes, end + 16, 4)
        var members: [Member] = []
        for _ in 0..<Self.number(bytes, end + 10, 2) {
            guard bytes[place...].starts(with: [0x50, 0x4B, 1, 2]), Self.number(bytes, place + 10, 2) == 0
            else {
                throw Damaged(what: "a member is not stored")
            }
            let lengths = [28, 30, 32].map { Self.number(bytes, place + $0, 2) }
            let name = String(decoding: bytes[place + 46..<place + 46 + lengths[0]], as: UTF8.self)
            let start = Self.contentStart(bytes, Self.number(bytes, place + 42, 4))
            let count = Self.number(bytes, place + 24, 4)
            let content = Array(bytes[start..<start + count])
            guard Self.checksum(content) == Self.number(bytes, place + 16, 4) else {
                throw Damaged(what: "the checksum of \(name) is wrong")
            }
            members.append(Member(name: name, content: content))
            place += 46 + lengths.reduce(0, +)
        }
        self.members = members
    }

    /// Behind the local header at `place`.
    private static func contentStart(_ bytes: [UInt8], _ place: Int) -> Int {
        place + 30 + number(bytes, place + 26, 2) + number(bytes, place + 28, 2)
    }

    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private static func checksum(_ bytes: [UInt8]) -> Int {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(~sum)
    }
}
