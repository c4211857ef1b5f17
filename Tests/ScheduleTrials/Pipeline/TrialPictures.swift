import CalotypeCore
import CalotypeTestKit

/// The pictures of a trial's origin, encoded once: the width of each tells its version, the height its name.
enum TrialPictures {
    /// What a picture tells of itself.
    struct Print: Hashable, Sendable {
        let name: Int
        let version: Int

        /// Reads it from the size of a picture; `nil` for one that is not from here.
        init?(_ size: PixelSize) {
            name = size.height / 8 - 1
            version = size.width - 16
            guard size.height.isMultiple(of: 8), name >= 0, version >= 0 else { return nil }
        }
    }

    static let nameCount = 3
    static let versionCount = 24

    private static let photos = (0..<nameCount).map { name in
        (0..<versionCount).map { version in
            TinyPicture.jpeg(PixelSize(width: 16 + version, height: 8 * (name + 1)))
        }
    }

    static func photo(_ name: Int, _ version: Int) -> [UInt8] {
        photos[name][min(version, versionCount - 1)]
    }

    /// A progressive JPEG of 16 by 8 pixels in six scans.
    ///
    /// Comments behind the first scans make it long enough for its header to be read before its end.
    static let progressive: [UInt8] = {
        let picture = [UInt8](decoding: progressiveText)
        let starts = [0, 135, 170, 206, picture.count]
        let parts = zip(starts, starts.dropFirst()).map { Array(picture[$0..<$1]) }
        return Array(
            parts.joined(separator: [0xFF, 0xFE, 0x08, 0x00] + [UInt8](repeating: 0x20, count: 2046))
        )
    }()

    private static let progressiveText = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVG
        ZIhlbXd7gYKBTmCNl4x9lnN+gXz/wgALCAAIABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAf/aAAgBAQAAAAEf/8QAFRAB
        AQAAAAAAAAAAAAAAAAAAAAL/2gAIAQEAAQUCpT//xAAWEAADAAAAAAAAAAAAAAAAAAAAARH/2gAIAQEABj8CiIj/xAAaEAEA
        AQUAAAAAAAAAAAAAAAABQQARIcHx/9oACAEBAAE/IYFaAxzTUCvAZ7sr/9oACAEBAAAAEL//xAAZEAEAAwEBAAAAAAAAAAAA
        AAABESExAGH/2gAIAQEAAT8Q0deZAFMjxphZD2HqzJKDketNLJHv/9k=
        """
}

extension [UInt8] {
    /// The bytes that a text in base64 (RFC 4648) stands for; line ends and padding say nothing.
    fileprivate init(decoding base64: String) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        self = []
        var (bits, count) = (0, 0)
        for character in base64.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { continue }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            append(UInt8(truncatingIfNeeded: bits >> count))
        }
    }
}
