import Calotype
import CalotypeCatalog
import CalotypeCore
import CalotypeTestKit
import TaskFlow

@testable import CalotypeTerminal

/// A wall whose loads and searches end when and as the test says, and whose frames are recorded.
@MainActor
final class ScriptedWall {
    let view: WallView
    let frames = Recorder<Frame>()
    let pictures = ScriptedResponses<TerminalPicture>()
    let searches = ScriptedResponses<AppStoreResponse>()
    let albums = ScriptedResponses<[AlbumPhoto]>()
    let tally = WallTally()
    let redraws = Recorder<Bool>()
    /// The pictures that are in memory.
    private let kept = Guarded<[ImageRequest: TerminalPicture]>([:])

    /// A picture of one cell.
    nonisolated static var picture: TerminalPicture { TerminalPicture(symbols: ["#"]) }

    /// Runs `body` with a wall that has begun, unless told otherwise.
    static func open(
        _ source: WallSource,
        columns: Int = 80,
        rows: Int = 24,
        begins: Bool = true,
        showsPictures: Bool = true,
        _ body: (ScriptedWall) async throws -> Void
    ) async throws {
        try await withTaskScope { scope in
            let wall = ScriptedWall(source, ScreenSize(columns: columns, rows: rows), scope, showsPictures)
            wall.view.onChange = { [weak view = wall.view] in view?.draw() }
            if begins { wall.view.begin() }
            try await body(wall)
            wall.view.leave()
        }
    }

    private init(_ source: WallSource, _ size: ScreenSize, _ scope: TaskScope, _ showsPictures: Bool) {
        let supply = PictureSupply(
            loader: { [pictures, kept] _ in
                ImageLoader(scope: scope) { request, _ in
                    guard case .url(let url) = request.source else { return Self.picture }
                    let picture = try await pictures.answer(to: url)
                    kept.withLock { $0[request] = picture }
                    return picture
                }
            },
            kept: { [kept] request, _ in kept.withLock { $0[request] } },
            pixels: { $0.pixels(for: .symbols(.direct)) },
            reused: { 0 }
        )
        let parts = WallParts(
            model: AppStoreSearchModel(scope: scope) { [searches] in try await searches.answer(to: $0.term) },
            albums: AlbumLoad(scope: scope) { [albums] in try await albums.answer(to: "\($0)") },
            supply: showsPictures ? supply : nil,
            tally: tally
        )
        view = WallView(
            source,
            options: WallOptions(),
            parts: parts,
            size: size,
            show: { [frames] in frames.record($0) },
            redraw: { [redraws] in redraws.record(true) }
        )
    }

    /// The text of the screen now.
    var text: String { frames.values.last?.plainText ?? "" }

    /// Presses keys; tells whether the wall goes on after the last.
    @discardableResult
    func press(_ keys: KeyPress...) -> Bool {
        keys.reduce(true) { _, key in view.take(.key(key)) }
    }

    /// Types a term into the prompt and searches for it.
    func search(_ term: String) {
        press(.character("/"))
        for character in term { press(.character(character)) }
        press(.enter)
    }

    /// Waits for a frame that is as `isIt` says.
    func untilFrame(_ isIt: (Frame) -> Bool) async throws {
        var count = 1
        while !isIt(try await frames.wait(count: count)[count - 1]) { count += 1 }
    }

    /// The answer to a search.
    static func answer(_ term: String, apps: Int) -> AppStoreResponse {
        let apps = (0..<apps).map { WallSamples.app($0) }
        return AppStoreResponse(query: AppStoreQuery(term), listing: CatalogListing(entries: apps))
    }
}
