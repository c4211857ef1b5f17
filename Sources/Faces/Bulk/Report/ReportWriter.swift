internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform

/// The report: one JSON object per line, written as soon as it is available.
struct ReportWriter {
    private let file: OpenFile
    /// Whether entries have several files, each in a list.
    private let listsRenditions: Bool
    /// The reason if the report is incomplete; nothing more is written then.
    private(set) var problem: String?
    /// Whether the reason is that the reader is gone or the disk is full.
    private(set) var isRefused = false
    /// Whether the report has a file name, which another process could remove.
    private let hasName: Bool

    /// Replaces the content of the file at `path`; `-` is standard output.
    init(path: String, listsRenditions: Bool = false) throws(BulkError) {
        self.listsRenditions = listsRenditions
        do throws(SystemError) {
            file =
                path == "-"
                ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
                : try OpenFile(writingTo: path)
            let status = try file.status()
            hasName = path != "-" && status.isLinkedFile
        } catch {
            throw BulkError("the report cannot be written: \(error)")
        }
    }

    /// Writes the lines of `outcomes`; does nothing after an error.
    mutating func write(_ outcomes: [FetchOutcome]) {
        guard problem == nil, !outcomes.isEmpty else { return }
        let text = outcomes.map { $0.reportLine(listsRenditions: listsRenditions) + "\n" }.joined()
        do throws(SystemError) {
            try file.write(Array(text.utf8))
        } catch {
            problem = "the report is incomplete: \(error)"
            isRefused = error.isFull || error.code == EPIPE
        }
    }

    /// Checks at the end of the run whether the report still exists.
    mutating func finish() {
        // If the check fails, the file is assumed to exist.
        guard problem == nil, hasName, let status = try? file.status(), !status.isLinkedFile else { return }
        problem = "the report was removed during the run"
    }
}

extension stat {
    /// Whether it is a regular file with a name.
    fileprivate var isLinkedFile: Bool { isKind(S_IFREG) && st_nlink > 0 }
}

extension FetchOutcome {
    /// Returns the outcome as a JSON object on one line.
    ///
    /// Every line has the same keys in the same order, with `null` for missing values, so that table readers
    /// see the same columns.
    ///
    /// - Parameters:
    ///   - listsRenditions: Whether entries have several files, each in a list.
    ///   - captioned: The entry, if the list has captions, which the line is to contain.
    /// - Returns: The line without its end.
    package func reportLine(listsRenditions: Bool = false, captioned: ListItem? = nil) -> String {
        var object = JSONObject()
        object.add("index", index)
        object.add("url", string: url)
        if let captioned { object.add("caption", string: captioned.caption) }
        object.add("status", string: status.rawValue)
        object.add("code", string: code?.rawValue)
        object.add("message", string: message)
        let only = listsRenditions ? nil : renditions.first
        object.add("file", string: only?.file)
        object.add("width", only?.size.width)
        object.add("height", only?.size.height)
        object.add("source_width", sourceSize?.width)
        object.add("source_height", sourceSize?.height)
        object.add("source_format", string: sourceFormat?.rawValue)
        object.add("source_frames", sourceFrames)
        object.add("source_bytes", sourceBytes?.bytes)
        object.add("bytes", only?.bytes.bytes)
        object.add("cache", string: cache?.rawValue)
        object.add("attempts", attempts)
        object.add("partial", renditions.isEmpty ? nil : isPartial)
        object.add("decoder", string: decoder?.name)
        object.add("decoder_reason", string: decoder?.reason)
        object.add("ms", timings.map(Self.milliseconds))
        if listsRenditions { object.add("renditions", objects: renditions.map(Self.rendition)) }
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
    /// Why the fast decoder was not used.
    fileprivate var reason: String? {
        if case .libvips(let reason) = self { reason } else { nil }
    }
}
