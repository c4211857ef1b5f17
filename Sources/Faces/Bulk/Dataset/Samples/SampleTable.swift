import CalotypeCore

/// The metadata of a shard's samples as a Parquet file, with the columns of img2dataset in its order.
///
/// The error code is an extra column at the end; columns of the list are text, whatever they were.
struct SampleTable {
    private let schema: SampleSchema
    private let hasPictures: Bool
    private let file: StagedFile
    private var writer: ParquetWriter

    /// Begins a table.
    ///
    /// - Parameters:
    ///   - schema: The columns.
    ///   - pictures: The names of the columns of the pictures; empty for none.
    ///   - file: What the table is written to.
    /// - Throws: The error of the disk.
    init(_ schema: SampleSchema, pictures: [String], to file: StagedFile) throws {
        self.schema = schema
        hasPictures = !pictures.isEmpty
        self.file = file
        var columns = schema.extras.map { ParquetWriter.Column(name: $0, kind: .text) }
        if schema.hasCaption { columns.append(.init(name: "caption", kind: .text)) }
        for name in ["url", "key", "status", "error_message"] {
            columns.append(.init(name: name, kind: .text))
        }
        for name in ["width", "height", "original_width", "original_height"] {
            columns.append(.init(name: name, kind: .int32))
        }
        columns.append(.init(name: "exif", kind: .text))
        if let hash = schema.hash { columns.append(.init(name: hash, kind: .text)) }
        columns += schema.sizeColumns.map { ParquetWriter.Column(name: $0, kind: .int32) }
        if schema.hasPerceptualHash {
            columns += ["phash", "near_duplicate_of"].map { ParquetWriter.Column(name: $0, kind: .text) }
        }
        columns += pictures.map { ParquetWriter.Column(name: $0, kind: .bytes) }
        columns.append(.init(name: "error_code", kind: .text))
        writer = try ParquetWriter(columns, to: file)
    }

    /// Adds a sample; those that failed have no picture.
    mutating func add(_ sample: Sample, key: String, pictures: [[UInt8]]) throws {
        var row = zip(schema.extras, sample.fields).map { Self.text($1.text) }
        if schema.hasCaption { row.append(Self.text(schema.caption(of: sample))) }
        row += [sample.url, key, sample.status.rawValue, sample.message].map(Self.text)
        row += [
            sample.size?.width, sample.size?.height, sample.originalSize?.width, sample.originalSize?.height,
        ].map { $0.map { .number($0) } ?? .null }
        row.append(Self.text(sample.exif ?? (sample.status == .success ? "{}" : nil)))
        if schema.hash != nil { row.append(Self.text(sample.hash)) }
        row += schema.sizes(of: sample).map { $0.map { .number($0) } ?? .null }
        if schema.hasPerceptualHash {
            row += [sample.perceptualHash.map(PerceptualHash.text), sample.nearDuplicate].map(Self.text)
        }
        if hasPictures {
            let isThere = sample.status == .success
            row += isThere ? pictures.map { .bytes($0) } : schema.pictureNames("").map { _ in .null }
        }
        row.append(Self.text(sample.code?.rawValue))
        try writer.add(row)
    }

    /// Ends the table, and waits until the disk has it.
    mutating func finish() throws -> ShardFile {
        try writer.finish()
        return try file.finish()
    }

    private static func text(_ text: String?) -> ParquetWriter.Value { text.map { .text($0) } ?? .null }
}
