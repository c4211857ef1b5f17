import CalotypeCore
import Testing

@testable import CalotypeServer

/// What each option says to the request.
@Suite
struct OptionTests {
    /// One option and what it changes.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: OptionName
        let arguments: String
        let change: @Sendable (inout ThumbnailRequest, inout Box) -> Void
        var testDescription: String { "\(name.rawValue):\(arguments)" }

        init(
            _ name: OptionName,
            _ arguments: String,
            _ change: @escaping @Sendable (inout ThumbnailRequest, inout Box) -> Void
        ) {
            self.name = name
            self.arguments = arguments
            self.change = change
        }

        init(
            _ name: OptionName,
            _ arguments: String,
            edits: @escaping @Sendable (inout PictureEdits) -> Void
        ) {
            self.init(name, arguments) { thumbnail, _ in edits(&thumbnail.transform.edits) }
        }
    }

    /// How a request scales.
    struct Box {
        var mode = Transform.Mode.none
        var width = 0
        var height = 0
        var enlarges = false
    }

    private static func expected(_ change: (inout ThumbnailRequest, inout Box) -> Void) -> ThumbnailRequest {
        var thumbnail = ThumbnailRequest(source: "http://h/a.jpg")
        thumbnail.formatQualities = [.webp: 79, .avif: 63]
        thumbnail.transform.edits.kept = .copyright
        var box = Box()
        change(&thumbnail, &box)
        let edits = thumbnail.transform.edits
        let size = PixelSize(width: box.width, height: box.height)
        thumbnail.transform = Transform(mode: box.mode, box: size, enlarges: box.enlarges).edited(edits)
        return thumbnail
    }

    static let sizes: [Case] = [
        Case(.resize, "fill:300:200:1:1:no:5:0.5") {
            $1 = Box(mode: .fillPartly, width: 300, height: 200, enlarges: true)
            $0.transform.edits.extended = .place(.north, x: 5, y: 0.5)
        },
        Case(.resize, "fill::300") { $1 = Box(mode: .fillPartly, height: 300) },
        Case(.resize, ":7:") { $1 = Box(mode: .fit, width: 7) },
        Case(.resize, "::") { _, _ in },
        Case(.size, "300:200:1:1:soea:1:2") {
            $1 = Box(mode: .fit, width: 300, height: 200, enlarges: true)
            $0.transform.edits.extended = .place(.southEast, x: 1, y: 2)
        },
        Case(.size, "0:8") { $1 = Box(mode: .fit, height: 8) },
        Case(.resizingType, "force/w:3") { $1 = Box(mode: .stretch, width: 3) },
        Case(.resizingType, "fill-down/w:3") { $1 = Box(mode: .fill, width: 3) },
        Case(.resizingType, "auto/w:3") { $1 = Box(mode: .auto, width: 3) },
        Case(.resizingType, "fit/w:3") { $1 = Box(mode: .fit, width: 3) },
        Case(.width, "300") { $1 = Box(mode: .fit, width: 300) },
        Case(.width, "0") { _, _ in },
        Case(.height, "+65535") { $1 = Box(mode: .fit, height: 65_535) },
        Case(.minWidth, "5", edits: { $0.least.width = 5 }),
        Case(.minHeight, "6", edits: { $0.least.height = 6 }),
        Case(.zoom, "0.5", edits: { $0.zoom = ScaleFactors(0.5, 0.5) }),
        Case(.zoom, "2:3e0", edits: { $0.zoom = ScaleFactors(2, 3) }),
        Case(.dpr, "1.5", edits: { $0.pixelRatio = 1.5 }),
        Case(.dpr, "2/el:1") {
            $1.enlarges = true
            $0.transform.edits.pixelRatio = 2
        },
        Case(.enlarge, "t") { $1.enlarges = true },
        Case(.enlarge, "maybe") { _, _ in },
        Case(.extend, "1", edits: { $0.extended = .centre }),
        Case(.extend, "1:fp:0.25:1", edits: { $0.extended = .focus(x: 0.25, y: 1) }),
        Case(.extend, "0:no") { _, _ in },
        Case(
            .extendAspectRatio,
            "true:we:-3",
            edits: { $0.extendedToAspectRatio = .place(.west, x: -3, y: 0) }
        ),
    ]

    static let shapes: [Case] = [
        Case(.gravity, "ce", edits: { $0.gravity = .centre }),
        Case(.gravity, "no", edits: { $0.gravity = .place(.north, x: 0, y: 0) }),
        Case(.gravity, "so:3", edits: { $0.gravity = .place(.south, x: 3, y: 0) }),
        Case(.gravity, "ea:3:-0.5", edits: { $0.gravity = .place(.east, x: 3, y: -0.5) }),
        Case(.gravity, "we", edits: { $0.gravity = .place(.west, x: 0, y: 0) }),
        Case(.gravity, "noea", edits: { $0.gravity = .place(.northEast, x: 0, y: 0) }),
        Case(.gravity, "nowe", edits: { $0.gravity = .place(.northWest, x: 0, y: 0) }),
        Case(.gravity, "soea", edits: { $0.gravity = .place(.southEast, x: 0, y: 0) }),
        Case(.gravity, "sowe", edits: { $0.gravity = .place(.southWest, x: 0, y: 0) }),
        Case(.gravity, "sm", edits: { $0.gravity = .attention }),
        Case(.gravity, "fp:0:0.75", edits: { $0.gravity = .focus(x: 0, y: 0.75) }),
        Case(.crop, "100", edits: { $0.crop = CropArea(width: 100, height: 0) }),
        Case(.crop, "0.5:10:nowe:1:2") {
            $0.transform.edits.crop = CropArea(
                width: 0.5,
                height: 10,
                gravity: .place(.northWest, x: 1, y: 2)
            )
            _ = $1
        },
        Case(.crop, "9:9:sm", edits: { $0.crop = CropArea(width: 9, height: 9, gravity: .attention) }),
        Case(.crop, "0:0:no") { _, _ in },
        Case(.trim, "10.5", edits: { $0.trim = BorderTrim(threshold: 10.5) }),
        Case(.trim, "0:F0f:1:t") {
            $0.transform.edits.trim = BorderTrim(
                threshold: 0,
                colour: Colour(red: 255, green: 0, blue: 255),
                isEqualHorizontally: true,
                isEqualVertically: true
            )
            _ = $1
        },
        Case(.trim, ":ff00ff") { _, _ in },
        Case(.padding, "10", edits: { $0.padding = Padding(top: 10, right: 10, bottom: 10, left: 10) }),
        Case(.padding, "10:20", edits: { $0.padding = Padding(top: 10, right: 20, bottom: 10, left: 20) }),
        Case(.padding, "1:2:3", edits: { $0.padding = Padding(top: 1, right: 2, bottom: 3, left: 2) }),
        Case(.padding, "1:2:3:4", edits: { $0.padding = Padding(top: 1, right: 2, bottom: 3, left: 4) }),
        Case(.padding, ":2::", edits: { $0.padding = Padding(top: 0, right: 2, bottom: 0, left: 2) }),
        Case(.autoRotate, "0", edits: { $0.ignoresOrientation = true }),
        Case(.autoRotate, "1") { _, _ in },
        Case(.rotate, "90", edits: { $0.quarterTurns = 1 }),
        Case(.rotate, "-90", edits: { $0.quarterTurns = 3 }),
        Case(.rotate, "540", edits: { $0.quarterTurns = 2 }),
        Case(.flip, "1", edits: { $0.flipsHorizontally = true }),
        Case(.flip, ":1", edits: { $0.flipsVertically = true }),
    ]

    static let looks: [Case] = [
        Case(.background, "255:0:16", edits: { $0.background = Colour(red: 255, green: 0, blue: 16) }),
        Case(.background, "0aF", edits: { $0.background = Colour(red: 0, green: 0xAA, blue: 0xFF) }),
        Case(.background, "102030", edits: { $0.background = Colour(red: 16, green: 32, blue: 48) }),
        Case(.background, "102030/bg:") { _, _ in },
        Case(.blur, "2.5", edits: { $0.blur = 2.5 }),
        Case(.sharpen, "0.7", edits: { $0.sharpen = 0.7 }),
        Case(.pixelate, "8", edits: { $0.pixelation = 8 }),
        Case(.watermark, "0.5", edits: { $0.watermark = Watermark(Reading.watermark, opacity: 0.5) }),
        Case(.watermark, "1:soea:-10:0.2:0.3") {
            let place = Gravity.place(.southEast, x: -10, y: 0.2)
            $0.transform.edits.watermark = Watermark(Reading.watermark, position: .once(place), scale: 0.3)
            _ = $1
        },
        Case(.watermark, "0.5:re:3:4") {
            let position = Watermark.Position.tiled(x: 3, y: 4)
            $0.transform.edits.watermark = Watermark(Reading.watermark, opacity: 0.5, position: position)
            _ = $1
        },
        Case(.watermark, "0:ce") { _, _ in },
    ]

    static let outputs: [Case] = [
        Case(.stripMetadata, "0", edits: { $0.kept = .all }),
        Case(.keepCopyright, "0", edits: { $0.kept = [] }),
        Case(.stripColorProfile, "false", edits: { $0.kept = [.copyright, .profile] }),
        Case(.preserveHDR, "0") { _, _ in },
        Case(.enforceThumbnail, "0") { _, _ in },
        Case(.quality, "50") { thumbnail, _ in thumbnail.quality = 50 },
        Case(.quality, "50/q:0") { _, _ in },
        Case(.formatQuality, "jpeg:70:avif:0:png:3") { thumbnail, _ in
            thumbnail.formatQualities = [.webp: 79, .jpeg: 70, .png: 3]
        },
        Case(.maxBytes, "1000", edits: { $0.mostBytes = ByteCount(1_000) }),
        Case(.maxBytes, "0") { _, _ in },
        Case(.format, "jpg") { thumbnail, _ in thumbnail.format = .jpeg },
        Case(.format, "jpeg") { thumbnail, _ in thumbnail.format = .jpeg },
        Case(.format, "png") { thumbnail, _ in thumbnail.format = .png },
        Case(.format, "webp") { thumbnail, _ in thumbnail.format = .webp },
        Case(.format, "avif") { thumbnail, _ in thumbnail.format = .avif },
        Case(.format, "gif") { thumbnail, _ in thumbnail.format = .gif },
        Case(.format, "tiff") { thumbnail, _ in thumbnail.format = .tiff },
        Case(.format, "heic") { thumbnail, _ in thumbnail.format = .heic },
        Case(.format, "jxl") { thumbnail, _ in thumbnail.format = .jxl },
        Case(.page, "3", edits: { $0.frame = 3 }),
        Case(.skipProcessing, "jpg:gif") { thumbnail, _ in thumbnail.untouched = [.jpeg, .gif] },
        Case(.skipProcessing, "svg") { thumbnail, _ in thumbnail.untouched = [.svg] },
        Case(.raw, "1") { thumbnail, _ in thumbnail.isRaw = true },
        Case(.cacheBuster, "v%32") { thumbnail, _ in thumbnail.cacheBuster = "v%32" },
        Case(.expires, "1000") { thumbnail, _ in thumbnail.expires = 1_000 },
        Case(.expires, "0") { _, _ in },
        Case(.filename, "my%20puppy") { thumbnail, _ in thumbnail.fileName = "my puppy" },
        Case(.filename, "100%") { thumbnail, _ in thumbnail.fileName = "100%" },
        Case(.filename, "YSJiCmM:1") { thumbnail, _ in thumbnail.fileName = "a\"b\nc" },
        Case(.returnAttachment, "1") { thumbnail, _ in thumbnail.isAttachment = true },
        Case(.fallbackImageURL, "aHR0cDovL2gvYS5qcGc=") { thumbnail, _ in
            thumbnail.fallback = "http://h/a.jpg"
        },
        Case(.preset, "small:large") {
            $1 = Box(mode: .fit, width: 900)
            $0.presets = ["small", "large"]
        },
    ]

    static let limits: [Case] = [
        Case(.maxSourceResolution, "0.5") { thumbnail, _ in thumbnail.limits.sourcePixels = 500_000 },
        Case(.maxSourceFileSize, "1024") { thumbnail, _ in thumbnail.limits.sourceBytes = 1_024 },
        Case(.maxSourceFileSize, "0") { thumbnail, _ in thumbnail.limits.sourceBytes = 1 << 40 },
        Case(.maxAnimationFrames, "1") { _, _ in },
        Case(.maxAnimationFrameResolution, "2") { _, _ in },
        Case(.maxResultDimension, "700", edits: { $0.mostSide = 700 }),
    ]

    @Test(arguments: sizes + shapes + looks + outputs + limits)
    func `an option says the same by each of its names`(option: Case) throws {
        let expected = Self.expected(option.change)
        for name in [option.name.rawValue] + option.name.shortNames {
            let thumbnail = try Reading.options("\(name):\(option.arguments)") {
                $0.allowsSecurityOptions = true
                try $0.presets.add("small=w:9,large=w:900")
            }
            #expect(thumbnail == expected, "\(name)")
        }
    }

    @Test func `the table has every option`() {
        let named = Set((Self.sizes + Self.shapes + Self.looks + Self.outputs + Self.limits).map(\.name))
        #expect(named == Set(OptionName.allCases))
        #expect(Set(OptionName.allNames).isDisjoint(with: OptionName.unsupportedNames))
        #expect(Set(OptionName.allNames).count == OptionName.allNames.count)
    }

    @Test(arguments: [
        "w:", "w:-1", "w:1e2", "w:1.5", "w:65536", "w:x", "w:1:2", "w:9999999999999999999", "h:", "mw:-1",
        "mh:a",
        "rs:fill:1:2:0:0:no:1:2:9", "rs:up:1:2", "rs:fit:-1", "s:1:2:0:0:no:1:2:9", "rt:", "rt:FIT",
        "rt:fit:1",
        "z:0", "z:-1", "z:nan", "z:inf", "z:0x1p3", "z:1:2:3", "z:1:", "z:101", "z:0.00001", "dpr:0", "dpr:",
        "dpr:1:1",
        "el:1:1",
        "ex:1:sm", "ex:1:xx", "ex:1:no:1:2:3", "exar:1:sm", "ex:1:", "g:", "g:re", "g:fp:0.5", "g:fp:1.1:0",
        "g:fp",
        "g:fp:0.1:-0.1", "g:sm:1", "g:no:x", "g:no:1:2:3", "g:no:nan", "g:ce:1e400", "c:", "c:-1", "c:1:",
        "c:1:2:xx",
        "c:1:2:no:1:2:3", "t:x", "t:-1", "t:256", "t:1:ff", "t:1:xyz", "t:1::1:1:1", "pd:-1", "pd:1:2:3:4:5",
        "pd:1.5",
        "ar:1:1", "rot:45", "rot:x", "rot:", "fl:1:1:1", "bg:1:2", "bg:256:0:0", "bg:-1:0:0", "bg:12",
        "bg:ggg",
        "bg:1:2:3:4", "bl:-1", "bl:x", "bl:", "sh:-1", "sh:11", "pix:-1", "pix:1.5", "wm:", "wm:1.1",
        "wm:-0.1",
        "wm:1:xx", "wm:1:sm", "wm:1:fp", "wm:1:ce:x", "wm:1:ce:0:0:-1", "wm:1:ce:0:0:0:0:0:0", "q:101",
        "q:-1", "q:",
        "fq:jpeg", "fq:jpeg:101", "fq:xyz:3", "mb:-1", "mb:x", "f:", "f:xyz", "f:jpg:png", "pg:-1", "pg:x",
        "skp:xyz", "skp:",
        "cb:1:2", "exp:x", "exp:1:2", "fn:a:1:1", "fn:%25:1", "fiu:%25", "pr:none", "pr:", "widht:3", "W:3",
        ":3", "raw:1:1",
        "att:1:1", "sm:1:1",
    ])
    func `arguments that make no sense are refused`(option: String) throws {
        let refusal = try #require(try Reading.refusal("/_/\(option)/plain/http://h/a"))
        #expect(refusal.status == 404)
        #expect(refusal.publicMessage == "Invalid URL")
        #expect(refusal.code == .invalidURL)
    }

    @Test(arguments: [
        "g:obj:face", "g:objw", "wm:1:ch", "wm:1:ce:0:0:0:3", "ph:1", "eth:t", "fq:ico:70", "skp:ico",
        "skp:jpg:ico",
        "ra:cubic", "crop_objects:1", "dpi:72", "pgs:2", "da:1", "aq:ssim",
    ])
    func `what imgproxy does and we do not is refused as such`(option: String) throws {
        let refusal = try #require(try Reading.refusal("/_/\(option)/plain/http://h/a"))
        #expect(refusal.status == 404)
        #expect(refusal.code == .unsupportedOption)
        #expect(refusal.message.contains("not supported"))
    }

    @Test func `all options of imgproxy that are not done are refused as such`() throws {
        for name in OptionName.unsupportedNames {
            #expect(
                try Reading.refusal("/_/\(name):1/plain/http://h/a")?.code == .unsupportedOption,
                "\(name)"
            )
        }
    }

    @Test(arguments: ["ico", "bmp", "svg", "best"])
    func `formats that are not made have their own status`(format: String) throws {
        for target in ["/_/f:\(format)/plain/http://h/a", "/_/plain/http://h/a@\(format)"] {
            let refusal = try #require(try Reading.refusal(target))
            #expect(refusal.status == 422)
            #expect(refusal.code == .unsupportedFormat)
        }
    }

    @Test func `a watermark needs a picture`() throws {
        let none: (inout PathConfiguration) -> Void = { $0.watermark = nil }
        #expect(try Reading.refusal("/_/wm:1/plain/http://h/a", none)?.code == .unsupportedOption)
        #expect(try Reading.refusal("/_/wm:0/plain/http://h/a", none) == nil)
        let half = try Reading.options("wm:0.5") { $0.watermarkOpacity = 0.5 }
        #expect(half.transform.edits.watermark?.opacity == 0.25)
    }

    @Test(arguments: ["msr:1", "msfs:1", "maf:1", "mafr:1", "mrd:1", "max_result_dimension:1"])
    func `limits of the server are its own unless it lets them be changed`(option: String) throws {
        let refusal = try #require(try Reading.refusal("/_/\(option)/plain/http://h/a"))
        #expect(refusal.status == 403)
        #expect(refusal.publicMessage == "Invalid URL")
        #expect(refusal.code == .forbiddenOption)
        #expect(
            try Reading.refusal("/_/\(option)/plain/http://h/a") { $0.allowsSecurityOptions = true } == nil
        )
    }

    @Test(arguments: ["maf:0", "msr:0", "msr:-1", "mrd:-1", "msfs:x", "maf:x"])
    func `limits that make no sense are refused`(option: String) throws {
        #expect(
            try Reading.refusal("/_/\(option)/plain/http://h/a") { $0.allowsSecurityOptions = true }?.status
                == 404
        )
    }

    @Test func `a path may request more frames of an animation if security options are allowed`() throws {
        let allow: (inout PathConfiguration) throws -> Void = { $0.allowsSecurityOptions = true }
        #expect(try Reading.options("maf:20", allow).transform.edits.mostFrames == 20)
        #expect(try Reading.options("w:3") { $0.defaults.mostFrames = 5 }.transform.edits.mostFrames == 5)
        #expect(try Reading.options("w:3").transform.edits.mostFrames == 1)
        #expect(try Reading.refusal("/_/maf:20/plain/http://h/a") != nil)
    }

    @Test func `a server that makes progressive JPEGs leaves other formats as they are`() throws {
        let thumbnail = try Reading.options("w:3/q:70") { $0.defaults.isProgressive = true }
        #expect(try thumbnail.request(format: .jpeg).output == .progressiveJPEG(quality: 70))
        #expect(try thumbnail.request(format: .webp).output == .webp(quality: 70))
        #expect(try Reading.options("w:3/q:70").request(format: .jpeg).output == .jpeg(quality: 70))
        let rule = SuitedFormat(quality: 70, isProgressive: true)
        #expect(rule.output(source: .gif, needsAlpha: false) == .progressiveJPEG(quality: 70))
        #expect(rule.output(source: .png, needsAlpha: false) == .png)
        #expect(rule.name != SuitedFormat(quality: 70).name)
    }

    @Test func `options that are not on the list are refused`() throws {
        let allow: (inout PathConfiguration) throws -> Void = {
            $0.allowedOptions = [.width, .preset]
            try $0.presets.add("soft=bl:3")
        }
        #expect(try Reading.options("width:3", allow).transform.box.width == 3)
        #expect(try Reading.options("pr:soft", allow).transform.edits.blur == 3)
        #expect(try Reading.refusal("/_/w:3/h:4/plain/http://h/a", allow)?.status == 403)
    }

    @Test(arguments: [
        ("rs:fit:1:1/w:5", "w:5/h:1"), ("w:1/w:2", "w:2"), ("rs:fill:300:200/w:100", "rs:fill:100:200"),
        ("rs:fill:3:4/rs::5", "rs:fill:5:4"), ("g:no:1:2/g:so", "g:so:1:2"), ("g:no:1:2/g:sm/g:no", "g:no"),
        ("el:1/el:0", "el:0"), ("t:5/t:", "t:"), ("fl:1/fl::1", "fl:1:1"), ("pd:1:2:3:4/pd:9", "pd:9"),
        ("ex:0:no/ex:1", "ex:1:no"), ("exp:2000/exp:0", "q:0"),
    ])
    func `a later option holds, part by part`(options: String, same: String) throws {
        #expect(try Reading.options(options) == Reading.options(same))
    }

    @Test func `a path ends being good`() throws {
        let refusal = try #require(try Reading.refusal("/_/exp:999/plain/http://h/a", now: 1_000))
        #expect(refusal.status == 404)
        #expect(refusal.publicMessage == "Expired URL")
        #expect(refusal.code == .expiredURL)
        let thumbnail = try Reading.thumbnail("/_/exp:1010/plain/http://h/a", now: 1_000)
        #expect(thumbnail.remainingSeconds(now: 1_000) == 10)
        #expect(thumbnail.remainingSeconds(now: 1_011) == 0)
        #expect(try Reading.thumbnail("/_/plain/http://h/a").remainingSeconds(now: 1) == nil)
    }

    @Test func `an extension is of no meaning to raw bytes`() throws {
        #expect(try Reading.thumbnail("/_/raw:1/plain/http://h/a@png").format == nil)
        #expect(try Reading.thumbnail("/_/raw:1/plain/http://h/a@xyz").isRaw)
        #expect(try Reading.thumbnail("/_/raw:0/plain/http://h/a@png").format == .png)
    }

    @Test func `what holds where a path says nothing is the server's`() throws {
        let thumbnail = try Reading.options("q:0") {
            $0.defaults.quality = 71
            $0.defaults.formatQualities = [.avif: 40]
            $0.defaults.stripsMetadata = false
            $0.defaults.stripsColourProfile = false
            $0.defaults.rotatesAutomatically = false
            $0.defaults.returnsAttachments = true
            $0.defaults.untouched = [.gif]
            $0.defaults.mostSide = 2_000
        }
        #expect(thumbnail.quality(for: .jpeg) == 71 && thumbnail.quality(for: .avif) == 40)
        #expect(thumbnail.transform.edits.kept == [.all, .profile])
        #expect(thumbnail.transform.edits.ignoresOrientation)
        #expect(thumbnail.transform.edits.mostSide == 2_000)
        #expect(thumbnail.isAttachment && thumbnail.untouched == [.gif])
    }

    @Test func `a quality for all formats comes before those of single ones`() throws {
        let thumbnail = try Reading.options("fq:webp:30/q:50")
        #expect(thumbnail.quality(for: .webp) == 50 && thumbnail.quality(for: .jpeg) == 50)
        let single = try Reading.options("fq:webp:30")
        #expect(single.quality(for: .webp) == 30 && single.quality(for: .jpeg) == 80)
    }
}
