internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform

/// An HTML page about a run: its figures, its timeline, and each picture or its error.
///
/// Tiles are written to an unnamed file as they arrive, so memory use stays small. At the end the page is
/// assembled under a temporary name and renamed. The page needs no external resources.
struct ContactSheet {
    /// Maximum number of tiles; browsers are slow with more.
    static let tileLimit = 20_000
    /// Maximum size of all pictures in the page.
    static let pictureLimit = 256 << 20
    /// Maximum size of one picture in the page.
    static let singleLimit = 4 << 20

    private static var spoolName: String { "\(FileName.temporaryPrefix)\(getpid())-spool.part" }

    /// The destination of the page: a name in a folder, or a device that receives it as it is written.
    private enum Place {
        case file(OpenFile, name: String)
        case stream(OpenFile)
    }

    private let place: Place
    private let spool: OpenFile
    private let subject: String
    private var timeline = SheetTimeline()
    private var tiles = 0
    private var leftOut = 0
    private var pictureBytes = 0
    /// The reason if there will be no page.
    private(set) var problem: String?

    /// Opens the folder of `path`, in which the page will appear, or the device or FIFO at `path`.
    init(path: String, subject: String) throws(BulkError) {
        self.subject = subject
        do throws(SystemError) {
            if case .file(let folder, let name) = try OutputTarget(path) {
                let parent = try OpenFile(folder, O_RDONLY | O_DIRECTORY)
                place = .file(parent, name: name)
                spool = try OpenFile.unnamed(in: parent, temporary: Self.spoolName)
            } else {
                place = .stream(try OpenFile(writingTo: path))
                let folder = try OpenFile(EnvironmentVariables.temporaryFolder, O_RDONLY | O_DIRECTORY)
                spool = try OpenFile.unnamed(in: folder, temporary: Self.spoolName)
            }
        } catch {
            throw BulkError("the contact sheet \(path) cannot be written: \(error)")
        }
    }

    /// Maximum size of the next picture.
    var room: Int {
        tiles < Self.tileLimit ? min(Self.singleLimit, Self.pictureLimit - pictureBytes) : 0
    }

    /// Adds a picture; `start` and `end` are times since the start of the run.
    mutating func add(_ outcome: FetchOutcome, picture: SheetPicture?, start: Duration, end: Duration) {
        guard problem == nil else { return }
        if outcome.status != .skipped { timeline.add(TimelineBar(outcome, start: start, end: end)) }
        guard tiles < Self.tileLimit else {
            leftOut += 1
            return
        }
        tiles += 1
        let shown = picture.flatMap { $0.bytes.count <= room ? $0 : nil }
        pictureBytes += shown?.bytes.count ?? 0
        do throws(SystemError) {
            try spool.write(SheetTile.html(outcome, picture: shown, elapsed: end - start))
        } catch {
            problem = "the contact sheet could not be written: \(error)"
        }
    }

    /// Writes the page and renames it into place.
    mutating func finish(_ summary: RunSummary) {
        guard problem == nil else { return }
        do throws(SystemError) {
            switch place {
            case .file(let folder, let name):
                let temporary = "\(FileName.temporaryPrefix)\(getpid())-sheet.part"
                let page = try AtomicFile(in: folder, temporary: temporary, unnamed: false)
                try write(summary, to: page.file)
                try page.commit(as: name, synced: false)
            case .stream(let file):
                try write(summary, to: file)
            }
        } catch {
            problem = "the contact sheet could not be written: \(error)"
        }
    }

    private func write(_ summary: RunSummary, to page: OpenFile) throws(SystemError) {
        let head = SheetPage.head(summary, subject: subject, timeline: timeline.html())
        try page.write(Array(head.utf8))
        try copySpool(to: page)
        try page.write(Array(SheetPage.tail(tilesLeftOut: leftOut).utf8))
    }

    private func copySpool(to page: OpenFile) throws(SystemError) {
        lseek(spool.descriptor, 0, SEEK_SET)
        while true {
            let bytes = try spool.read(1 << 20)
            if bytes.isEmpty { return }
            try page.write(bytes)
        }
    }
}
