public import CalotypeCore
import CalotypeFiles
internal import CalotypeHTTP

extension Post {
    /// The maximum number of media of a post in JSON; servers have lower limits of their own.
    public static let mostMedia = 1000
    /// The maximum size of a post in JSON.
    public static let mostJSON = ByteCount.mebibytes(1)

    /// Reads a post from JSON.
    ///
    /// ```json
    /// {"text": "A day out", "visibility": "public", "language": "en", "schedule": "2026-05-01T09:00:00+02:00",
    ///  "media": [{"file": "photos/1.jpg", "alt": "Two boats", "focus": [0, 0.4]},
    ///            {"file": "film.mp4", "thumbnail": "film.jpg"}]}
    /// ```
    ///
    /// Only `file` is required in a medium, and a post needs a text or a medium. Unknown names are refused,
    /// because a mistyped one would otherwise be ignored. The initializer does not look at the files: see
    /// ``unusableFiles()``.
    ///
    /// - Parameters:
    ///   - json: The text, at most ``mostJSON``, with at most ``mostMedia`` media.
    ///   - name: The name that messages use for the text, such as its file's name.
    ///   - folder: The folder that relative paths refer to.
    /// - Throws: `invalid_document`, with the line, the column and what is expected there.
    public init(
        json: [UInt8],
        named name: String = "the post",
        relativeTo folder: String
    ) throws(CalotypeError) {
        self = try JSONReader.read(json, named: name, limit: Self.mostJSON) {
            document throws(CalotypeError) in
            try PostJSON(folder: folder).post(document)
        }
    }

    /// Whether a text has the form of a language tag such as `en` or `pt-BR`.
    ///
    /// A tag consists of at most eight parts of letters and digits with hyphens in between. The parts have at
    /// most eight characters, and the first one has only letters (RFC 5646, section 2.1).
    package static func isLanguageTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let areParts = parts.allSatisfy { part in
            (1...8).contains(part.utf8.count)
                && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
        return areParts && parts.count <= 8 && parts[0].count >= 2 && parts[0].allSatisfy(\.isLetter)
    }
}

/// Reads the parts of a post's JSON.
private struct PostJSON {
    let folder: String

    func post(_ document: LocatedJSON) throws(CalotypeError) -> Post {
        let fields = try JSONFields(
            document,
            "a post",
            names: ["text", "media", "content_warning", "visibility", "language", "schedule"]
        )
        var post = Post(try fields.text("text") ?? "", media: try media(fields["media"]))
        guard !post.media.isEmpty || post.text.contains(where: { !$0.isWhitespace }) else {
            throw document.invalid("the post is empty; add \"text\" or \"media\"")
        }
        post.contentWarning = try fields.text("content_warning").flatMap { $0.isEmpty ? nil : $0 }
        post.visibility = try fields.value("visibility", Self.visibility)
        post.language = try fields.value("language", Self.language)
        post.schedule = try fields.value("schedule", Self.moment)
        return post
    }

    private func media(_ value: LocatedJSON?) throws(CalotypeError) -> [Media] {
        guard let value else { return [] }
        guard case .list(let elements) = value.value else {
            throw value.invalid("\"media\" must be an array in brackets, not \(value.kind)")
        }
        guard elements.count <= Post.mostMedia else {
            throw elements[Post.mostMedia].invalid("a post has at most \(Post.mostMedia) media")
        }
        return try elements.map(medium)
    }

    private func medium(_ value: LocatedJSON) throws(CalotypeError) -> Media {
        let fields = try JSONFields(value, "a medium", names: ["file", "alt", "focus", "thumbnail"])
        guard let file = try fields.value("file", path) else {
            throw value.invalid("the medium has no \"file\"; add the path of the file to send")
        }
        var media = Media.file(file, altText: try fields.text("alt"))
        media.focus = try fields["focus"].map(Self.focus)
        media.thumbnail = try fields.value("thumbnail", path).map { .file(path: $0) }
        return media
    }

    private func path(_ text: String) throws(CalotypeError) -> String {
        guard !text.isEmpty, !text.unicodeScalars.contains("\0") else {
            throw Self.invalid("this is not a file path")
        }
        guard !text.contains("://") else {
            throw Self.invalid("this is a URL; media must be files on this machine")
        }
        return text.hasPrefix("/") || folder.isEmpty
            ? text : folder.hasSuffix("/") ? folder + text : "\(folder)/\(text)"
    }

    private static func focus(_ value: LocatedJSON) throws(CalotypeError) -> Media.Focus {
        guard case .list(let elements) = value.value, elements.count == 2 else {
            throw value.invalid("\"focus\" must be two numbers in brackets, such as [0, 0.5]")
        }
        let numbers = try elements.map { element throws(CalotypeError) in
            guard case .number(let number) = element.value, (-1...1).contains(number) else {
                throw element.invalid(
                    "\"focus\" must be two numbers from -1 (left, bottom) to 1 (right, top)"
                )
            }
            return number
        }
        return Media.Focus(x: numbers[0], y: numbers[1])
    }

    private static func visibility(_ text: String) throws(CalotypeError) -> Post.Visibility {
        if let visibility = Post.Visibility(rawValue: text) { return visibility }
        let words = Post.Visibility.allCases.map(\.rawValue)
        let hint = NearestName.find(text, in: words).map { "; did you mean \"\($0)\"?" } ?? ""
        throw Self.invalid("\"visibility\" must be one of \(words.joined(separator: ", "))\(hint)")
    }

    private static func language(_ text: String) throws(CalotypeError) -> String {
        guard Post.isLanguageTag(text) else {
            throw Self.invalid("\"language\" must be a language tag such as en or pt-BR")
        }
        return text
    }

    private static func moment(_ text: String) throws(CalotypeError) -> WallTime {
        guard let seconds = RFC3339.seconds(text) else {
            throw Self.invalid(
                "\"schedule\" must be a date and time with an offset, such as 2026-05-01T09:00:00+02:00"
            )
        }
        return WallTime(secondsSince1970: seconds)
    }

    /// Returns the reason why a text is not a valid value; the caller adds the position.
    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidDocument, reason, stage: .request)
    }
}
