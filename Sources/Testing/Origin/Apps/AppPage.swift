/// An app's page in the store, for people.
enum AppPage {
    static let page: @Sendable (Call) throws -> Response = { call in
        guard let record = call.values["ID"].flatMap({ Int($0) }).flatMap(call.site.apps.record(id:)) else {
            throw Refusal(status: 404, message: "There is no app of this number.")
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
