internal import FoundationEssentials

/// What the command writes into the journal beside a publication, by which it can be resumed without being told again.
///
/// There are no credentials in it: they are read anew.
package struct PublishNote: Hashable, Sendable, Codable {
    /// The path of the file that the post was read from; `nil` for standard input.
    package let file: String?
    /// Where the post goes; `nil` where that cannot be written down.
    package let target: PublishTarget?

    /// Creates a note.
    package init(file: String?, target: PublishTarget) {
        self.file = file
        self.target = target.isPlain ? target : nil
    }

    /// Reads what ``text`` wrote; `nil` for what somebody else has noted.
    package init?(_ text: String?) {
        guard let text, let note = try? JSONDecoder().decode(PublishNote.self, from: Data(text.utf8)) else {
            return nil
        }
        self = note
    }

    /// The note as it stands in the journal; `nil` where it cannot be written, and the publication is resumed by hand.
    package var text: String? {
        (try? JSONLine.bytes(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
