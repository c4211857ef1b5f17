import CalotypeCore
import CalotypeFiles

/// The files of a shard under construction, in one of the output formats.
protocol ShardForm {
    /// Adds a successful sample; call it in the order of the list.
    mutating func add(_ sample: Sample, key: String, pictures: [[UInt8]]) throws

    /// Ends the files, and waits until the disk has them.
    mutating func finish() throws -> [ShardFile]
}

/// No files besides the metadata.
struct NoShard: ShardForm {
    mutating func add(_ sample: Sample, key: String, pictures: [[UInt8]]) throws {}

    mutating func finish() throws -> [ShardFile] { [] }
}

/// A tar file for WebDataset, and an index beside it.
struct TarShard: ShardForm {
    private let tar: StagedFile
    private let index: StagedFile
    private let schema: SampleSchema
    private let endings: [String]
    /// The lines of the index, which begins with their number.
    private var lines: [String] = []

    init(_ staging: ShardStaging) throws {
        tar = try staging.file(ending: "tar")
        index = try staging.file(ending: "idx")
        schema = staging.schema
        endings = staging.schema.endings(staging.ending)
    }

    mutating func add(_ sample: Sample, key: String, pictures: [[UInt8]]) throws {
        var parts = try zip(endings, pictures).map { try add($1, key, $0) }
        parts.append(try add(Array(schema.json(of: sample, key: key).utf8), key, "json"))
        if schema.hasCaption {
            parts.append(try add(Array((schema.caption(of: sample) ?? "").utf8), key, "txt"))
        }
        lines.append(parts.joined(separator: " "))
    }

    mutating func finish() throws -> [ShardFile] {
        try tar.write(TarMember.end(after: tar.count))
        // DALI's format, as its wds2idx writes it.
        try index.write("v1.2 \(lines.count)\n")
        for line in lines { try index.write(line + "\n") }
        return [try tar.finish(), try index.finish()]
    }

    /// Adds a member; returns its part of a line of the index.
    private func add(_ bytes: [UInt8], _ key: String, _ ending: String) throws -> String {
        let name = "\(key).\(ending)"
        try tar.write(TarMember.header(name, bytes: bytes.count))
        let start = tar.count
        try tar.write(bytes)
        try tar.write(TarMember.padding(after: bytes.count))
        return "\(ending) \(start) \(bytes.count) \(name)"
    }
}

/// The blocks of a tar file (POSIX.1-2024, pax, "ustar interchange format").
///
/// Owner, mode and time are always the same, so that the same samples make the same file.
enum TarMember {
    private static let block = 512
    /// A tar file is a multiple of this long.
    private static let record = 20 * block

    /// Returns the header of a member; `name` has at most 100 bytes of ASCII.
    static func header(_ name: String, bytes: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
        }
        precondition(name.utf8.count <= 100, "a member's name is \(name)")
        put(name, at: 0)
        put("0000444", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        put(octal(bytes, 11), at: 124)
        put(octal(0, 11), at: 136)
        put("        ", at: 148)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put("bigdata", at: 265)
        put("bigdata", at: 297)
        let sum = header.reduce(0) { $0 + Int($1) }
        put(octal(sum, 6) + "\0 ", at: 148)
        return header
    }

    /// Returns what follows the content of a member.
    static func padding(after bytes: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: (block - bytes % block) % block)
    }

    /// Returns the end of a file that has `bytes` so far.
    static func end(after bytes: Int) -> [UInt8] {
        let least = bytes + 2 * block
        return [UInt8](repeating: 0, count: (least + record - 1) / record * record - bytes)
    }

    private static func octal(_ number: Int, _ digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
