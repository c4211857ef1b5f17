import CalotypeCore

/// One decode of a source and the pictures made of it; each decoder has its way.
protocol PictureMaking {
    /// Which decoder it is.
    var decoder: PictureDecoder { get }

    /// Whether it asks the switch again and again whether to stop; others have to be told.
    var asksWhetherToStop: Bool { get }

    /// The estimate of the memory that it takes.
    var bytes: Int { get }

    /// Decodes and encodes; it computes on the thread that calls it, until the switch is pulled by another.
    ///
    /// - Returns: what came of each spec, each once.
    /// - Throws: `corrupt_image`, `truncated_image`, `too_many_pixels`: no picture can be made of the source;
    ///   `timeout_decode`, `CancellationError` when the switch was pulled.
    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<MadePicture, CalotypeError>]
}

/// A picture as a decoder's way made it.
struct MadePicture {
    var content: CodedPicture.Content
    var size: PixelSize
    var isPartial = false
    /// Decoding and scaling, shared by all pictures of one decode.
    var decoding: Duration
    /// Encoding this picture, or laying out its pixels.
    var encoding: Duration
}
