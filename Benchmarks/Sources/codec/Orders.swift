import Calotype
import CalotypeCodec
import Glibc

/// What the program was told to do.
struct Orders {
    static let usage = """
        usage: codec LIST OUTPUT [--sizes 256,512] [--formats jpeg,png] [--quality 85] [--effort fast|balanced|best]
                     [--libvips] [--isolate none|slow|all] [--threads N] [--at-a-time N] [--pixels N]
                     [--from-files] [--pause]
          LIST holds one path a line. OUTPUT is a folder, - for nowhere. Files are named by line: 000000000.jpg, and
          000000000-256.jpg where there are several sizes.
          --libvips    libvips decodes everything
          --isolate    what worker processes do; none by default
          --at-a-time  pictures under way at once; as many as threads by default
          --pixels     the most pixels of a picture that is needed whole
          --from-files the codec reads the files itself; otherwise it is given their bytes
          --pause      prints "ready" and waits for a line on standard input before the first picture
        """

    var list = ""
    var output: String?
    var sizes = [256]
    var formats = [OutputFormat.jpeg(quality: 85)]
    var effort = Effort.balanced
    var usesLibvipsOnly = false
    var isolation = DecoderIsolation.none
    var threads = 2
    var atATime: Int?
    var pixels: Int?
    var readsFiles = false
    var pauses = false

    init?(_ arguments: some Sequence<String>) {
        var words = Array(arguments.reversed())
        var places: [String] = []
        var formatNames = ["jpeg"]
        var quality = 85
        while let word = words.popLast() {
            guard word.hasPrefix("--") else {
                places.append(word)
                continue
            }
            switch word {
            case "--from-files": readsFiles = true
            case "--pause": pauses = true
            case "--libvips": usesLibvipsOnly = true
            default:
                guard let value = words.popLast() else { return nil }
                let numbers = value.split(separator: ",").compactMap { Int($0) }
                switch word {
                case "--sizes": sizes = numbers
                case "--formats": formatNames = value.split(separator: ",").map(String.init)
                case "--quality": quality = numbers.first ?? 0
                case "--isolate": isolation = DecoderIsolation(rawValue: value) ?? .none
                case "--effort": effort = Effort(rawValue: value) ?? .balanced
                case "--threads": threads = numbers.first ?? 0
                case "--at-a-time": atATime = numbers.first
                case "--pixels": pixels = numbers.first
                default: return nil
                }
            }
        }
        formats = formatNames.compactMap { Self.format($0, quality) }
        let isSound = places.count == 2 && !sizes.isEmpty && formats.count == formatNames.count && threads > 0
        guard isSound, quality > 0 else { return nil }
        list = places[0]
        output = places[1] == "-" ? nil : places[1]
    }

    private static func format(_ name: String, _ quality: Int) -> OutputFormat? {
        switch name {
        case "jpeg": .jpeg(quality: quality)
        case "png": .png
        case "webp": .webp(quality: quality)
        default: nil
        }
    }

    /// What each picture is made into.
    var specs: [PictureSpec] {
        sizes.flatMap { size in
            formats.map { .encoded(RenditionSpec(.fit(size, size).effort(effort), $0)) }
        }
    }
}
