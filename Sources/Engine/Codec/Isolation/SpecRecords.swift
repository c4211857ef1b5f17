import CalotypeCore
import CalotypeFiles

extension RecordWriter {
    mutating func add(_ spec: PictureSpec) {
        switch spec {
        case .encoded(let rendition):
            add(true)
            add(rendition.transform)
            add(rendition.output)
        case .pixels(let transform):
            add(false)
            add(transform)
        }
    }

    private mutating func add(_ transform: Transform) {
        add(Transform.Mode.numbered.firstIndex(of: transform.mode) ?? 0)
        add(transform.box)
        add(transform.enlarges)
        add(choice: transform.effort)
        add(transform.isLinearLight)
        add(transform.edits)
    }

    mutating func add(_ output: OutputFormat) {
        switch output {
        case .jpeg(let quality): add(0, quality: quality)
        case .png: add(1, quality: 0)
        case .webp(let quality): add(2, quality: quality)
        case .avif(let quality): add(3, quality: quality)
        case .original(let quality): add(4, quality: quality)
        case .heic(let quality): add(5, quality: quality)
        case .gif: add(6, quality: 0)
        case .tiff: add(7, quality: 0)
        case .progressiveJPEG(let quality): add(8, quality: quality)
        case .losslessWebP: add(9, quality: 0)
        case .jxl(let quality): add(10, quality: quality)
        case .png16: add(11, quality: 0)
        case .suited: preconditionFailure("a worker is asked for a format that was not settled before")
        case .custom: preconditionFailure("a worker is asked for an encoder of the program")
        }
    }

    private mutating func add(_ format: Int, quality: Int) {
        add(format)
        add(signed: quality)
    }
}

extension RecordReader {
    mutating func spec() throws(SystemError) -> PictureSpec {
        guard try flag() else { return .pixels(try transform()) }
        var transform = try transform()
        let output = try output()
        transform.isDeep = output == .png16
        return .encoded(RenditionSpec(transform, output))
    }

    private mutating func transform() throws(SystemError) -> Transform {
        let mode = Transform.Mode.numbered[try number(in: 0...Transform.Mode.numbered.count - 1)]
        let box = try size()
        var transform = Transform(mode: mode, box: box, enlarges: try flag())
        transform.effort = try choice()
        transform.isLinearLight = try flag()
        transform.edits = try edits()
        return transform
    }

    mutating func output() throws(SystemError) -> OutputFormat {
        let format = try number(in: 0...11)
        let quality = try signed()
        switch format {
        case 0: return .jpeg(quality: quality)
        case 1: return .png
        case 2: return .webp(quality: quality)
        case 3: return .avif(quality: quality)
        case 4: return .original(quality: quality)
        case 5: return .heic(quality: quality)
        case 6: return .gif
        case 7: return .tiff
        case 8: return .progressiveJPEG(quality: quality)
        case 9: return .losslessWebP
        case 10: return .jxl(quality: quality)
        default: return .png16
        }
    }
}

extension Transform.Mode {
    /// All modes; a record identifies one by its index.
    fileprivate static let numbered: [Transform.Mode] = [.none, .fit, .fill, .stretch, .fillPartly, .auto]
}

extension RecordWriter {
    mutating func add(_ edits: PictureEdits) {
        add(signed: edits.frame)
        add(signed: edits.mostFrames)
        add(optional: edits.trim) { $0.add($1) }
        add(edits.blurredAreas.count)
        for area in edits.blurredAreas { add(area) }
        add(optional: edits.crop) { $0.add($1) }
        add(edits.gravity)
        add(edits.least)
        add(optional: edits.middle) { $0.add($1) }
        add(edits.zoom.x)
        add(edits.zoom.y)
        add(edits.pixelRatio)
        add(edits.ignoresOrientation)
        add(signed: edits.quarterTurns)
        add(edits.flipsHorizontally)
        add(edits.flipsVertically)
        add(edits.blur)
        add(edits.sharpen)
        add(signed: edits.pixelation)
        add(optional: edits.extended) { $0.add($1) }
        add(optional: edits.extendedToAspectRatio) { $0.add($1) }
        add(edits.padding)
        add(optional: edits.background) { $0.add($1) }
        add(optional: edits.watermark) { $0.add($1) }
        add(signed: edits.mostSide)
        add(optional: edits.mostBytes) { $0.add(signed: $1.bytes) }
        add(signed: edits.kept.rawValue)
    }

    private mutating func add(_ trim: BorderTrim) {
        add(trim.threshold)
        add(optional: trim.colour) { $0.add($1) }
        add(trim.isEqualHorizontally)
        add(trim.isEqualVertically)
    }

    private mutating func add(_ area: RelativeArea) {
        for side in [area.x.lowerBound, area.y.lowerBound, area.x.upperBound, area.y.upperBound] { add(side) }
    }

    private mutating func add(_ crop: CropArea) {
        add(crop.width)
        add(crop.height)
        add(optional: crop.gravity) { $0.add($1) }
    }

    private mutating func add(_ gravity: Gravity) {
        switch gravity {
        case .place(let place, let x, let y):
            add(0)
            add(choice: place)
            add(x)
            add(y)
        case .focus(let x, let y):
            add(1)
            add(x)
            add(y)
        case .attention: add(2)
        }
    }

    private mutating func add(_ padding: Padding) {
        for side in [padding.top, padding.right, padding.bottom, padding.left] { add(signed: side) }
    }

    private mutating func add(_ colour: Colour) {
        for sample in [colour.red, colour.green, colour.blue] { add(Int(sample)) }
    }

    private mutating func add(_ watermark: Watermark) {
        add(watermark.picture.name)
        add(watermark.picture.bytes)
        add(watermark.opacity)
        add(watermark.scale)
        switch watermark.position {
        case .once(let gravity):
            add(0)
            add(gravity)
        case .tiled(let x, let y):
            add(1)
            add(x)
            add(y)
        }
    }
}

extension RecordReader {
    mutating func edits() throws(SystemError) -> PictureEdits {
        var edits = PictureEdits()
        edits.frame = try signed()
        edits.mostFrames = try signed()
        edits.trim = try optional { reader throws(SystemError) in try reader.trim() }
        for _ in 0..<(try number(in: 0...1000)) { edits.blurredAreas.append(try area()) }
        edits.crop = try optional { reader throws(SystemError) in try reader.crop() }
        edits.gravity = try gravity()
        edits.least = try size()
        edits.middle = try optional { reader throws(SystemError) in try reader.size() }
        edits.zoom.x = try double()
        edits.zoom.y = try double()
        edits.pixelRatio = try double()
        edits.ignoresOrientation = try flag()
        edits.quarterTurns = try signed()
        edits.flipsHorizontally = try flag()
        edits.flipsVertically = try flag()
        edits.blur = try double()
        edits.sharpen = try double()
        edits.pixelation = try signed()
        edits.extended = try optional { reader throws(SystemError) in try reader.gravity() }
        edits.extendedToAspectRatio = try optional { reader throws(SystemError) in try reader.gravity() }
        edits.padding = try padding()
        edits.background = try optional { reader throws(SystemError) in try reader.colour() }
        edits.watermark = try optional { reader throws(SystemError) in try reader.watermark() }
        edits.mostSide = try signed()
        edits.mostBytes = try optional { reader throws(SystemError) in ByteCount(try reader.signed()) }
        edits.kept = KeptMetadata(rawValue: try signed())
        return edits
    }

    private mutating func trim() throws(SystemError) -> BorderTrim {
        var trim = BorderTrim(threshold: try double())
        trim.colour = try optional { reader throws(SystemError) in try reader.colour() }
        trim.isEqualHorizontally = try flag()
        trim.isEqualVertically = try flag()
        return trim
    }

    private mutating func area() throws(SystemError) -> RelativeArea {
        let (left, top) = (try double(), try double())
        guard let area = RelativeArea(left: left, top: top, right: try double(), bottom: try double()) else {
            throw .notARecord
        }
        return area
    }

    private mutating func crop() throws(SystemError) -> CropArea {
        var crop = CropArea(width: try double(), height: 0)
        crop.height = try double()
        crop.gravity = try optional { reader throws(SystemError) in try reader.gravity() }
        return crop
    }

    private mutating func gravity() throws(SystemError) -> Gravity {
        switch try number(in: 0...2) {
        case 0:
            let place = try choice(Gravity.Place.self)
            let x = try double()
            return .place(place, x: x, y: try double())
        case 1:
            let x = try double()
            return .focus(x: x, y: try double())
        default: return .attention
        }
    }

    private mutating func padding() throws(SystemError) -> Padding {
        var padding = Padding()
        padding.top = try signed()
        padding.right = try signed()
        padding.bottom = try signed()
        padding.left = try signed()
        return padding
    }

    private mutating func colour() throws(SystemError) -> Colour {
        var colour = Colour.white
        colour.red = UInt8(try number(in: 0...255))
        colour.green = UInt8(try number(in: 0...255))
        colour.blue = UInt8(try number(in: 0...255))
        return colour
    }

    private mutating func watermark() throws(SystemError) -> Watermark {
        let name = try text()
        var watermark = Watermark(EncodedPicture(name: name, bytes: try content()))
        watermark.opacity = try double()
        watermark.scale = try double()
        if try number(in: 0...1) == 0 {
            watermark.position = .once(try gravity())
        } else {
            let x = try double()
            watermark.position = .tiled(x: x, y: try double())
        }
        return watermark
    }
}
