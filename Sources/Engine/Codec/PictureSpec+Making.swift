import CalotypeCore

extension PictureSpec {
    /// The size of the result, made of the picture that `facts` tell of.
    func size(of facts: ImageFacts) -> PixelSize {
        Geometry(transform, of: facts).output
    }

    /// The same picture, in the format that suits the source that `facts` tell of where none was named.
    func settled(for facts: ImageFacts) -> PictureSpec {
        guard case .encoded(var spec) = self, case .suited(let rule) = spec.output else { return self }
        spec.output = rule.output(spec.transform, of: facts)
        return .encoded(spec)
    }

    /// Whether the source without its metadata is the result, unless it takes its pixels to get that.
    func leavesPixels(of facts: ImageFacts) -> Bool {
        guard case .encoded(let spec) = self, case .original = spec.output else { return false }
        var edits = transform.edits
        edits.kept = []
        guard edits == .none, facts.format != .tiff else { return false }
        guard facts.orientation == 1 || facts.isTurnedByDecoder else { return false }
        let geometry = Geometry(transform, of: facts.size)
        return geometry.output == facts.size && geometry.scaled == facts.size
    }

    /// The memory for laying out the pixels, where pixels are wanted.
    func bitmapBytes(of facts: ImageFacts) -> Int {
        guard case .pixels = self else { return 0 }
        return VipsBudget.bitmapBytes(size(of: facts))
    }

    /// Encodes `picture`, or lays out its pixels; `source` is the format of the picture that it was made from.
    ///
    /// - Throws: `encode_failed`.
    func content(
        of picture: VipsDecode.Picture,
        source: ImageFormat
    ) throws(CalotypeError) -> CodedPicture.Content {
        switch self {
        case .encoded(let spec):
            let encoder = VipsEncoder(spec.output, source: source)
            let most = spec.transform.edits.mostBytes
            return .encoded(
                try encoder.encode(picture.image, picture.metadata, most: most),
                encoder.format
            )
        case .pixels:
            return .pixels(try Bitmap(picture.image))
        }
    }
}

extension Bitmap {
    /// Lays out the pixels of `picture`, which is in memory.
    fileprivate init(_ picture: VipsImage) throws(CalotypeError) {
        do throws(VipsFailure) {
            self.init(size: picture.size, rgba: try picture.rgba())
        } catch {
            throw CalotypeError(
                .encodeFailed,
                "the pixels could not be laid out: \(error)",
                stage: .encode,
                cause: error
            )
        }
    }
}
