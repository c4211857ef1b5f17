import CalotypeCore

/// The decoders that a codec can choose from, and the processes in which they run.
struct DecoderChoice: Sendable {
    /// Accepts a source or leaves it to libvips; `nil` if libvips decodes everything.
    private let path: FastPath?
    /// The reason why libvips decodes everything.
    private let reason: String
    /// The work for worker processes; `nil` for none.
    let isolated: IsolatedWork?

    init(_ configuration: ImageCodecConfiguration) {
        path = configuration.usesLibvipsOnly ? nil : FastPath()
        reason = "asked for"
        isolated = IsolatedWork(configuration)
    }

    /// Creates the choice of a worker, which the program has already made.
    init(_ decoder: PictureDecoder, _ path: FastPath) {
        switch decoder {
        case .fast:
            self.path = path
            reason = ""
        case .libvips(let reason):
            self.path = nil
            self.reason = reason
        }
        isolated = nil
    }

    /// Chooses how to make `specs` from `source`.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`.
    func making(
        _ specs: [PictureSpec],
        of source: OpenedSource,
        limits: ImageLimits
    ) throws(CalotypeError) -> any PictureMaking {
        let way = try inProcess(specs, of: source, limits: limits)
        guard let isolated, isolated.takes(way, specs, of: source.facts) else { return way }
        return WorkerMaking(way, specs, of: source, limits: limits, in: isolated)
    }

    /// Encodes `bitmap`.
    ///
    /// - Throws: `encode_failed`, `decoder_unavailable`, `decoder_crashed`; `CancellationError`.
    func encode(_ bitmap: Bitmap, _ encoding: BitmapEncoding, _ killSwitch: KillSwitch) throws -> [UInt8] {
        let encoding = path == nil ? encoding.byLibrary : encoding
        guard let isolated, isolated.takes(encoding) else { return try encoding.encode(bitmap, killSwitch) }
        return try isolated.encode(bitmap, encoding, killSwitch)
    }

    private func inProcess(
        _ specs: [PictureSpec],
        of source: OpenedSource,
        limits: ImageLimits
    ) throws(CalotypeError) -> any PictureMaking {
        guard let path else { return VipsMaking(specs, of: source, limits: limits, because: reason) }
        switch try path.verdict(source, specs.map(\.transform)) {
        case .left(let reason): return VipsMaking(specs, of: source, limits: limits, because: reason)
        case .taken(let way): return FastMaking(specs, of: source, way, limits: limits)
        }
    }
}

/// A decode of a source and the pictures made from it, with one decoder.
protocol PictureMaking {
    /// The decoder.
    var decoder: PictureDecoder { get }

    /// Whether it checks the switch repeatedly; otherwise the switch must stop it.
    var asksWhetherToStop: Bool { get }

    /// The estimate of the memory for the work.
    var bytes: Int { get }

    /// Decodes and encodes on the calling thread, until another thread pulls the switch.
    ///
    /// - Returns: The result for each distinct spec.
    /// - Throws: `corrupt_image`, `truncated_image`, `too_many_pixels`: no picture can be made from the
    ///   source; `timeout_decode`, `CancellationError` if the switch was pulled.
    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<CodedPicture, CalotypeError>]
}
