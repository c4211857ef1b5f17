import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeCore

/// The options that change an image besides its size, for `fetch` and `thumb`.
enum EditOptions {
    private static let gravity = Option(
        "gravity",
        .gravity,
        default: "center",
        """
        The part that --fill keeps: center, a side or corner such as north (the top) or southeast, smart (what \
        draws the eye), or the surroundings of a point given as fractions of the width and the height, such \
        as 0.5,0.3.
        """
    )
    private static let rotate = Option(
        "rotate",
        .choice(["90": 1, "180": 2, "270": 3]),
        "Turn the upright image clockwise by this angle. Boxes are for the turned image."
    )
    private static let trim = Option(
        "trim",
        .number(0...255),
        implied: 10,
        """
        First cut off a border with the colour of the top left pixel. N is how much its samples may differ; 10 if it \
        is not given.
        """
    )
    private static let background = Option(
        "background",
        .colour,
        "Colour behind transparent parts, such as fff or 20c0ff. JPEG has white there by default."
    )
    private static let blur = Option(
        "blur",
        .number(0...1000),
        "Blur the result by a Gaussian with a standard deviation of N pixels."
    )
    private static let sharpen = Option(
        "sharpen",
        .number(0...1000),
        "Sharpen the result by a mask with a standard deviation of N pixels; 0.5 to 1 suits thumbnails."
    )
    private static let keep = Option(
        "keep",
        .list(
            .choice(["copyright": KeptMetadata.copyright, "icc": .profile, "all": [.all, .profile]]),
            atMost: 2
        ),
        """
        Metadata to keep: copyright (copyright and artist of EXIF), icc (the colour profile; colours are then not \
        converted to sRGB) or all. The orientation is always applied. TIFF and JPEG XL keep only the profile, GIF \
        nothing. Default: none.
        """
    )
    private static let maxBytes = Option(
        "max-bytes",
        .byteSize,
        """
        Reduce the quality until a JPEG, WebP or AVIF has at most this size. If the lowest quality is not \
        enough, the image fails with too_many_bytes.
        """
    )

    private static let animate = Flag(
        "animate",
        """
        Keep all frames of animated GIF, WebP and PNG images, with their delays. Needs the output format gif, webp \
        or original. Without it, the result shows the first frame.
        """
    )

    static let group = Command.Group(
        "Edits",
        [animate, gravity, rotate, trim, background, blur, sharpen, keep, maxBytes]
    )

    /// Returns the edits that the options ask for.
    static func edits(_ arguments: ParsedArguments) -> PictureEdits {
        var edits = PictureEdits()
        if arguments[animate] { edits.mostFrames = .max }
        edits.gravity = arguments[gravity] ?? edits.gravity
        edits.quarterTurns = arguments[rotate] ?? 0
        edits.trim = arguments[trim].map { BorderTrim(threshold: $0) }
        edits.background = arguments[background]
        edits.blur = arguments[blur] ?? 0
        edits.sharpen = arguments[sharpen] ?? 0
        edits.kept = arguments[keep].map { KeptMetadata($0) } ?? []
        edits.mostBytes = arguments[maxBytes].map { ByteCount($0.bytes) }
        return edits
    }
}

extension EditOptions {
    /// Refuses `--animate` and `--depth 16` if no format in `outputs` supports them.
    static func check(
        _ arguments: ParsedArguments,
        _ outputs: [OutputFormat],
        command: String
    ) throws(UsageError) {
        if arguments[animate], !outputs.contains(where: \.isAnimated) {
            throw refusal(
                "--animate needs a format that can be animated; add --format webp, gif or original",
                command
            )
        }
        if arguments[PictureOptions.depth] == 16, !outputs.contains(.png16) {
            throw refusal("--depth 16 works only for PNG; add --format png", command)
        }
    }

    private static func refusal(_ message: String, _ command: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command)
    }
}

extension ValueType where Value == Gravity {
    /// A place, `smart`, or a point such as `0.5,0.3`.
    fileprivate static var gravity: ValueType {
        let places: KeyValuePairs<String, Gravity> = [
            "center": .centre, "north": .place(.north, x: 0, y: 0),
            "northeast": .place(.northEast, x: 0, y: 0),
            "east": .place(.east, x: 0, y: 0), "southeast": .place(.southEast, x: 0, y: 0),
            "south": .place(.south, x: 0, y: 0), "southwest": .place(.southWest, x: 0, y: 0),
            "west": .place(.west, x: 0, y: 0), "northwest": .place(.northWest, x: 0, y: 0),
            "smart": .attention,
        ]
        let words = ValueType.choice(places)
        return ValueType(placeholder: "PLACE", choices: words.choices) { text throws(UsageError) in
            let point = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard point.count == 2 else {
                do throws(UsageError) { return try words.parse(text) } catch {
                    throw UsageError("is not a point such as 0.5,0.3, and \(error.message)")
                }
            }
            guard let x = point[0], let y = point[1], (0...1).contains(x), (0...1).contains(y) else {
                throw UsageError("is not a point such as 0.5,0.3, each number 0 to 1")
            }
            return .focus(x: x, y: y)
        }
    }
}

extension ValueType where Value == Colour {
    /// Three or six hexadecimal digits, possibly after a `#`.
    fileprivate static var colour: ValueType {
        ValueType(placeholder: "COLOUR") { text throws(UsageError) in
            guard let colour = Colour(hexadecimal: text.hasPrefix("#") ? text.dropFirst() : text[...]) else {
                throw UsageError("is not a colour of three or six hexadecimal digits such as fff or 20c0ff")
            }
            return colour
        }
    }
}
