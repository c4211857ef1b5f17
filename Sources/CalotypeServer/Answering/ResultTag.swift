import Calotype
import CalotypeCore
import Digests

/// The entity tag of a result.
///
/// What is asked for is the URL's business; a tag tells apart what one URL gives at different times, or to clients that take
/// different formats. So it is made of the version of the source, and of what the result is; of the result itself where the
/// origin names no version.
enum ResultTag {
    static func text(_ served: ServedRendition, buster: String) -> String? {
        let rendition = served.rendition
        var parts = [
            buster, rendition.format.rawValue, rendition.size.description, "\(rendition.bytes.count)",
            "\(rendition.sourceBytes.bytes)",
        ]
        do throws(DigestError) {
            let version = [served.standing?.entityTag, served.standing?.lastModified].compactMap { $0 }
            if version.isEmpty {
                parts.append(try Digest(.sha256, of: rendition.bytes).description)
            } else {
                parts += version
            }
            return try tag(parts)
        } catch {
            // Without libcrypto's digests there are no tags; nothing else depends on them.
            return nil
        }
    }

    /// The tag of `bytes` that are made anew each time they are answered.
    static func text(of bytes: [UInt8], buster: String) -> String? {
        do throws(DigestError) {
            return try tag([buster, try Digest(.sha256, of: bytes).description])
        } catch {
            return nil
        }
    }

    private static func tag(_ parts: [String]) throws(DigestError) -> String {
        let name = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return "\"\(try Digest(.sha256, of: name).description.prefix(32))\""
    }
}
