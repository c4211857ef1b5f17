import CalotypeCore

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
        case .suited: preconditionFailure("a worker is asked for a format that was not settled before")
        }
    }

    private mutating func add(_ format: Int, quality: Int) {
        add(format)
        add(signed: quality)
    }
}

extension RecordReader {
    mutating func spec() throws(RecordDamage) -> PictureSpec {
        guard try flag() else { return .pixels(try transform()) }
        let transform = try transform()
        return .encoded(RenditionSpec(transform, try output()))
    }

    private mutating func transform() throws(RecordDamage) -> Transform {
        let mode = Transform.Mode.numbered[try number(in: 0...Transform.Mode.numbered.count - 1)]
        let box = try size()
        var transform = Transform(mode: mode, box: box, enlarges: try flag())
        transform.effort = try choice()
        transform.isLinearLight = try flag()
        transform.edits = try edits()
        return transform
    }

    mutating func output() throws(RecordDamage) -> OutputFormat {
        let format = try number(in: 0...7)
        let quality = try signed()
        switch format {
        case 0: return .jpeg(quality: quality)
        case 1: return .png
        case 2: return .webp(quality: quality)
        case 3: return .avif(quality: quality)
        case 4: return .original(quality: quality)
        case 5: return .heic(quality: quality)
        case 6: return .gif
        default: return .tiff
        }
    }
}

extension Transform.Mode {
    /// All modes; a record names one by its place.
    fileprivate static let numbered: [Transform.Mode] = [.none, .fit, .fill, .stretch, .fillPartly, .auto]
}
