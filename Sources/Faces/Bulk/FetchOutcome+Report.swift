internal import CalotypeCore

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
