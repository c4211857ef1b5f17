internal import CalotypeCore
import CalotypeFiles
internal import Glibc

/// The report: a JSON object a line, written out as soon as it is known.
struct ReportWriter {
    private let file: OpenFile
    /// Whether entries become several files, each told in a list.
    private let listsRenditions: Bool
    /// Why it is not complete, once it is so; nothing more is written then.
    private(set) var problem: String?
    /// Whether that is because nobody reads it, or the disk takes nothing more.
    private(set) var isRefused = false
    /// Whether it has a name, which somebody may take away.
    private let hasName: Bool

    /// Replaces what the file at `path` holds; `-` is standard output.
    init(path: String, listsRenditions: Bool = false) throws(FetchSetupError) {
        self.listsRenditions = listsRenditions
        do throws(SystemError) {
            file =
                path == "-"
                ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
                : try OpenFile(writingTo: path)
            let status = try file.status()
            hasName = path != "-" && status.isLinkedFile
        } catch {
            throw FetchSetupError("the report cannot be written: \(error)")
        }
    }

    /// Writes the line of `outcome`; after an error it does nothing.
    mutating func write(_ outcome: FetchOutcome) {
        guard problem == nil else { return }
        do throws(SystemError) {
            try file.write(Array((outcome.reportLine(listsRenditions: listsRenditions) + "\n").utf8))
        } catch {
            problem = "the report is incomplete: \(error)"
            isRefused = error.isFull || error.code == EPIPE
        }
    }

    /// Looks at the end of the run whether the report is still there.
    mutating func finish() {
        // What cannot be looked at is taken to be there.
        guard problem == nil, hasName, let status = try? file.status(), !status.isLinkedFile else { return }
        problem = "the report was removed while it was written"
    }
}

extension stat {
    /// Whether it is a regular file that has a name.
    fileprivate var isLinkedFile: Bool { isKind(S_IFREG) && st_nlink > 0 }
}

extension FetchOutcome {
    /// The outcome as a JSON object on one line.
    ///
    /// Every line has every key in the same order, `null` where there is nothing to say, so that a table reader sees the same
    /// columns in each.
    ///
    /// - Parameter listsRenditions: Whether entries become several files, each told in a list.
    /// - Returns: The line without its end.
    package func reportLine(listsRenditions: Bool = false) -> String {
        var object = JSONObject()
        object.add("index", index)
        object.add("url", string: url)
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
    /// Why it was not the fast one.
    fileprivate var reason: String? {
        if case .libvips(let reason) = self { reason } else { nil }
    }
}
