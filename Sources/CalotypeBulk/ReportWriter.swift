internal import CalotypeCore
internal import Glibc

/// The report: a JSON object a line, written out as soon as it is known.
///
/// Every line has every key in the same order, `null` where there is nothing to say, so that a table reader sees the
/// same columns in each.
struct ReportWriter {
    private let file: OpenFile
    /// Whether entries become several files, each told in a list.
    private let listsRenditions: Bool
    /// Why nothing more is written, once it is so.
    private(set) var problem: String?

    /// Replaces the file at `path`; `-` is standard output.
    init(path: String, listsRenditions: Bool = false) throws(FetchSetupError) {
        self.listsRenditions = listsRenditions
        do throws(SystemError) {
            file =
                path == "-"
                ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
                : try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        } catch {
            throw FetchSetupError("the report cannot be written: \(error)")
        }
    }

    /// Writes the line of `outcome`; after an error it does nothing.
    mutating func write(_ outcome: FetchOutcome) {
        guard problem == nil else { return }
        do throws(SystemError) {
            try file.write(Array((line(outcome) + "\n").utf8))
        } catch {
            problem = "the report is incomplete: \(error)"
        }
    }

    private func line(_ outcome: FetchOutcome) -> String {
        var object = JSONObject()
        object.add("index", outcome.index)
        object.add("url", string: outcome.url)
        object.add("status", string: outcome.status.rawValue)
        object.add("code", string: outcome.code?.rawValue)
        object.add("message", string: outcome.message)
        let only = listsRenditions ? nil : outcome.renditions.first
        object.add("file", string: only?.file)
        object.add("width", only?.size.width)
        object.add("height", only?.size.height)
        object.add("source_width", outcome.sourceSize?.width)
        object.add("source_height", outcome.sourceSize?.height)
        object.add("source_format", string: outcome.sourceFormat?.rawValue)
        object.add("source_frames", outcome.sourceFrames)
        object.add("source_bytes", outcome.sourceBytes?.bytes)
        object.add("bytes", only?.bytes.bytes)
        object.add("cache", string: outcome.cache?.rawValue)
        object.add("attempts", outcome.attempts)
        object.add("partial", outcome.renditions.isEmpty ? nil : outcome.isPartial)
        object.add("decoder", string: outcome.decoder?.name)
        object.add("decoder_reason", string: outcome.decoder?.reason)
        object.add("ms", outcome.timings.map(Self.milliseconds))
        if listsRenditions { object.add("renditions", objects: outcome.renditions.map(Self.rendition)) }
        return object.text
    }

    private static func rendition(_ rendition: FetchedRendition) -> JSONObject {
        var object = JSONObject()
        object.add("file", string: rendition.file)
        object.add("width", rendition.size.width)
        object.add("height", rendition.size.height)
        object.add("bytes", rendition.bytes.bytes)
        object.add("format", string: rendition.format.rawValue)
        return object
    }

    private static func milliseconds(_ timings: LoadTimings) -> JSONObject {
        var object = JSONObject()
        let parts = [
            ("queue", timings.queue), ("dns", timings.dns), ("connect", timings.connect),
            ("first_byte", timings.firstByte), ("body", timings.body), ("decode", timings.decode),
            ("encode", timings.encode), ("total", timings.total),
        ]
        for (key, duration) in parts { object.add(key, Decimal.text(duration.inMilliseconds, places: 2)) }
        return object
    }
}

extension PictureDecoder {
    /// Why it was not the fast one.
    fileprivate var reason: String? {
        if case .libvips(let reason) = self { reason } else { nil }
    }
}
