import CalotypeCore

/// The way of a worker process: what another way would make here is made there.
struct WorkerMaking: PictureMaking {
    /// It waits, and asks meanwhile.
    let asksWhetherToStop = true

    private let way: any PictureMaking
    private let specs: [PictureSpec]
    private let source: OpenedSource
    private let limits: ImageLimits
    private let work: IsolatedWork

    init(
        _ way: any PictureMaking,
        _ specs: [PictureSpec],
        of source: OpenedSource,
        limits: ImageLimits,
        in work: IsolatedWork
    ) {
        self.way = way
        self.specs = specs
        self.source = source
        self.limits = limits
        self.work = work
    }

    var decoder: PictureDecoder { way.decoder }

    /// On the way to the worker a source in memory is copied twice, on the way back the pixels of results.
    var bytes: Int {
        let bitmaps = specs.reduce(0) { $0 + $1.bitmapBytes(of: source.facts) }
        guard case .memory(let bytes) = source.encoded else { return way.bytes + bitmaps }
        return way.bytes + bitmaps + 2 * bytes.count
    }

    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<MadePicture, CalotypeError>] {
        let order = WorkerOrder(
            work: .pictures(specs, source.facts, isCut: source.isCut, limits, way.decoder),
            source: source.encoded,
            estimate: way.bytes
        )
        return Dictionary(zip(specs, try work.perform(order, killSwitch))) { first, _ in first }
    }
}
