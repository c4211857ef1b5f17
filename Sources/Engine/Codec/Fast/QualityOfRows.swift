import CalotypeCore

/// Encodes the same rows again and again, until there are few enough bytes.
struct QualityOfRows {
    private let settings: VipsEncoder
    private let size: PixelSize
    private let model: SampleLayout.Model
    private let transform: Transform
    private let metadata: MetadataBlocks
    private let killSwitch: KillSwitch

    init(
        _ settings: VipsEncoder,
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        _ transform: Transform,
        _ metadata: MetadataBlocks,
        _ killSwitch: KillSwitch
    ) {
        self.settings = settings
        self.size = size
        self.model = model
        self.transform = transform
        self.metadata = metadata
        self.killSwitch = killSwitch
    }

    /// The format of what comes out.
    var format: ImageFormat { settings.format }

    /// An encoder for the rows at `quality`; `nil` for a format that only libvips encodes.
    ///
    /// - Throws: `encode_failed`.
    func encoder(_ quality: Int) throws(CalotypeError) -> (any RowEncoder)? {
        try FastEncoders.encoder(format, quality, size, model, transform.effort, killSwitch)
    }

    /// `rows` at the best quality that a few tries find.
    ///
    /// - Throws: `encode_failed`, `too_many_bytes`; `CancellationError`.
    func encoded(_ rows: HeldRows) throws -> [UInt8] {
        let most = transform.edits.mostBytes
        let found = try QualitySearch.bytes(settings.quality, most: most) { quality in
            guard let encoder = try encoder(quality) else {
                preconditionFailure("rows are held for \(format), which libvips encodes")
            }
            try rows.forEachRow { row in
                try killSwitch.check()
                try encoder.write(row)
            }
            return MetadataWriter.adding(metadata, to: try encoder.finish(), format)
        }
        guard let found else { throw QualitySearch.unreachable(most) }
        return found
    }
}
