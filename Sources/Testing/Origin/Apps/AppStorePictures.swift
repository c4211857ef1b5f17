import CalotypeCodec
import CalotypeCore
import CalotypeSamplePictures
import TaskFlow

/// Icons and screenshots.
///
/// The last part of their path determines size and format.
enum AppStorePictures {
    private static let lengths = 16...1024
    private static let largestScreenshot = 2800

    static let icon: @Sendable (Call) async throws -> ServedPicture = { call in
        let record = try record(call)
        let name = try ArtworkName(call, lengths)
        return try await icon(record, name.size, name.format, call.site)
    }

    static let screenshot: @Sendable (Call) async throws -> ServedPicture = { call in
        let record = try record(call)
        let number = try call.number("N", in: 1...200)
        let name = try ArtworkName(call, lengths.lowerBound...largestScreenshot)
        return try await call.site.drawn("screenshot \(record.id) \(number) \(name.size)", name.format) {
            record.artwork.screenshot(number, name.size)
        }
    }

    /// Draws the icons that `/icons.txt` lists, and caches them as far as the memory allows.
    static func drawIcons(of site: Site) async throws {
        let format = site.drawnFormats[0]
        let size = PixelSize(width: PictureLists.iconSide, height: PictureLists.iconSide)
        for record in site.apps.records { _ = try await icon(record, size, format, site) }
    }

    private static func icon(
        _ record: AppStoreRecord,
        _ size: PixelSize,
        _ format: ImageFormat,
        _ site: Site
    ) async throws -> ServedPicture {
        try await site.drawn("icon \(record.id) \(size)", format) { record.artwork.icon(size) }
    }

    private static func record(_ call: Call) throws -> AppStoreRecord {
        if let record = call.values["ID"].flatMap({ Int($0) }).flatMap(call.site.apps.record(id:)) {
            return record
        }
        throw OriginError.refusal(status: 404, message: "There is no app with this number.")
    }
}

/// The last part of a picture's path, such as `512x512bb.jpg`.
private struct ArtworkName {
    let size: PixelSize
    let format: ImageFormat

    init(_ call: Call, _ lengths: ClosedRange<Int>) throws(OriginError) {
        let parts = (call.values["NAME"] ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let sides = (parts.first ?? "").prefix { $0 != "b" }.split(separator: "x").compactMap { Int($0) }
        let range = "\(lengths.lowerBound) to \(lengths.upperBound)"
        guard parts.count == 2, parts[0].hasSuffix("bb"), sides.count == 2, sides.allSatisfy(lengths.contains)
        else {
            throw OriginError.refusal(
                status: 400,
                message: "The last part must be WIDTHxHEIGHTbb.png, each \(range)."
            )
        }
        size = PixelSize(width: sides[0], height: sides[1])
        let formats = call.site.drawnFormats
        guard let format = formats.first(where: { $0.fileExtension == parts[1] }) else {
            let names = formats.map(\.fileExtension).joined(separator: ", ")
            throw OriginError.refusal(status: 400, message: "The sizes are \(names).")
        }
        self.format = format
    }
}

/// An app's page in the store, for browsers.
enum AppStoreWebPage {
    static let page: @Sendable (Call) throws -> Response = { call in
        guard let record = call.values["ID"].flatMap({ Int($0) }).flatMap(call.site.apps.record(id:)) else {
            throw OriginError.refusal(status: 404, message: "There is no app with this number.")
        }
        let format = call.site.artworkFormat
        let shots = (0..<record.phoneScreenshots).map { index in
            "<img alt=\"\" src=\"/apps/screenshots/\(record.id)/\(index + 1)/196x348bb.\(format)\">"
        }
        return .html(
            """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>\(IndexPage.escaped(record.name))</title>
            <style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;white-space:pre-line}
            img{margin:2px;border-radius:10px}</style>
            <h1><img alt="" width="100" height="100" src="/apps/icons/\(record.id)/200x200bb.\(format)">
            \(IndexPage.escaped(record.name))</h1>
            <p>\(IndexPage.escaped(record.maker.name)), \(IndexPage.escaped(record.genre.name))</p>
            <p>\(IndexPage.escaped(record.summary))</p><p>\(shots.joined())</p></html>

            """
        )
    }
}
