import CalotypeCore
import TaskFlow

extension PictureSpec {
    /// Whether code of the program makes the result from pixels: processors or an encoder.
    var isProcessed: Bool {
        if !transform.processors.isEmpty { return true }
        guard case .encoded(let spec) = self else { return false }
        return spec.output.customEncoder != nil
    }

    /// What a decoder makes for the spec: the pixels for the program's code, or the spec itself if there is none.
    var unprocessed: PictureSpec {
        guard isProcessed else { return self }
        var transform = transform
        transform.processors = []
        return .pixels(transform)
    }
}

// Processors, between the pixels of a decode and their encoding, and encoders of the program.
extension ImageCodec {
    /// Returns the result of the processors of `spec`, encoded if it says so; `pixels` is their input.
    ///
    /// - Throws: `CancellationError`; all other errors are part of the result.
    @concurrent
    func processed(
        _ pixels: Result<CodedPicture, CalotypeError>,
        _ spec: PictureSpec,
        _ limits: ImageLimits,
        _ priority: LivePriority
    ) async throws -> Result<CodedPicture, CalotypeError> {
        do {
            try spec.validate()
            let picture = try pixels.get()
            guard case .pixels(let bitmap) = picture.content else {
                preconditionFailure("the input of processors was decoded as \(picture.content)")
            }
            // The input, one result of a processor, and what becomes of it.
            return try await admitted(bytes: min(bitmap.size.pixelCount, 1 << 40) * 13, priority) {
                try await withKillSwitch(limit: limits.decodeTime) { killSwitch in
                    .success(try self.processed(picture, bitmap, spec, limits, killSwitch))
                }
            }
        } catch let error as CalotypeError {
            return .failure(error)
        }
    }

    private func processed(
        _ picture: CodedPicture,
        _ bitmap: Bitmap,
        _ spec: PictureSpec,
        _ limits: ImageLimits,
        _ killSwitch: KillSwitch
    ) throws -> CodedPicture {
        let start = clock.now
        var bitmap = bitmap
        for step in spec.transform.steps {
            bitmap = try step.result(of: bitmap, limits, killSwitch)
            try killSwitch.check()
        }
        var result = picture
        result.size = bitmap.size
        switch spec {
        case .pixels: result.content = .pixels(bitmap)
        case .encoded(let spec):
            let output = spec.output.output(for: bitmap, source: picture.source.format)
            let encoding = BitmapEncoding.output(output)
            result.content = .encoded(try decoders.encode(bitmap, encoding, killSwitch), encoding.format)
        }
        result.encoding += clock.now - start
        return result
    }
}

extension PictureSpec {
    /// Throws `invalid_request` for values out of range, and for an output that excludes the edits.
    func validate() throws(CalotypeError) {
        try transform.validate()
        guard case .encoded(let spec) = self, let refused = spec.output.refused(for: transform) else {
            return
        }
        throw CalotypeError(.invalidRequest, "the request asks for \(refused)", stage: .request)
    }
}

extension CustomEncoder {
    /// Encodes `bitmap`.
    ///
    /// - Throws: `encode_failed`; the encoder's own `CalotypeError`; `CancellationError`.
    func bytes(of bitmap: Bitmap, _ killSwitch: KillSwitch) throws -> [UInt8] {
        let bytes = try killSwitch.running({ try encoder.encode(bitmap) }, failingAs: failure)
        guard !bytes.isEmpty else { throw failure("it returned no bytes") }
        return bytes
    }

    private func failure(_ reason: String, _ cause: (any Error)? = nil) -> CalotypeError {
        CalotypeError(
            .encodeFailed,
            "the encoder '\(identifier)' failed: \(reason)",
            stage: .encode,
            cause: cause
        )
    }
}

extension ProcessingStep {
    /// Runs the processor, and checks what it returns.
    ///
    /// - Throws: `processor_failed`, `too_many_pixels`; `CancellationError`.
    fileprivate func result(
        of bitmap: Bitmap,
        _ limits: ImageLimits,
        _ killSwitch: KillSwitch
    ) throws -> Bitmap {
        let result = try killSwitch.running({ try processor.process(bitmap) }, failingAs: failure)
        let size = result.size
        guard min(size.width, size.height) > 0, result.rgba.count == size.pixelCount * 4 else {
            throw failure("it returned \(result.rgba.count) bytes for \(size) pixels")
        }
        guard size.pixelCount <= limits.pixels else {
            throw CalotypeError(
                .tooManyPixels,
                "the processor '\(identifier)' returned \(size) pixels; the limit is \(limits.pixels)",
                stage: .encode
            )
        }
        return result
    }

    private func failure(_ reason: String, _ cause: (any Error)? = nil) -> CalotypeError {
        CalotypeError(
            .processorFailed,
            "the processor '\(identifier)' failed: \(reason)",
            stage: .encode,
            cause: cause
        )
    }
}

extension KillSwitch {
    /// Runs code of the program; its errors become those of `failure`.
    ///
    /// A `CalotypeError` is thrown unchanged, and so is a `CancellationError` if the switch is pulled.
    fileprivate func running<Output>(
        _ body: () throws -> Output,
        failingAs failure: (String, (any Error)?) -> CalotypeError
    ) throws -> Output {
        do {
            return try body()
        } catch let error as CalotypeError {
            throw error
        } catch let error as CancellationError where isPulled {
            throw error
        } catch {
            throw failure("\(error)", error)
        }
    }
}

extension OutputFormat {
    /// The definite encoding for pixels that come from a source of format `source`.
    fileprivate func output(for bitmap: Bitmap, source: ImageFormat) -> OutputFormat {
        var isOpaque: Bool {
            stride(from: 3, to: bitmap.rgba.count, by: 4).allSatisfy { bitmap.rgba[$0] == 255 }
        }
        switch self {
        case .jpeg, .progressiveJPEG, .png, .png16, .webp, .losslessWebP, .avif, .heic, .jxl, .gif, .tiff,
            .custom:
            return self
        case .suited(let rule): return rule.output(source: source, needsAlpha: !isOpaque)
        case .original(let quality):
            return switch source {
            case .jpeg: .jpeg(quality: quality)
            case .png: .png
            case .webp: .webp(quality: quality)
            case .avif: .avif(quality: quality)
            case .heic: .heic(quality: quality)
            case .gif: .gif
            case .tiff: .tiff
            case .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom:
                .original(of: source, quality: quality, needsAlpha: !isOpaque)
            }
        }
    }
}
