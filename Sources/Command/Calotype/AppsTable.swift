import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore

/// Apps as people and programs read them.
enum AppsTable {
    static func table(_ apps: [AppEntity]) -> TextTable {
        var table = TextTable([
            .init("#", .right), .init("Name", leastWidth: 16),
            .init("Developer", leastWidth: 8, isDispensable: true),
            .init("Rating", .right, isDispensable: true),
            .init("Price", .right, isDispensable: true), .init("ID", .right),
        ])
        for app in apps {
            table.add([
                "\(app.position)", app.name, app.developer ?? "", rating(app), app.price ?? "", "\(app.id)",
            ])
        }
        return table
    }

    /// Such as `4.53 (12,345)`; empty where nobody has rated the app.
    static func rating(_ app: AppEntity) -> String {
        app.rating.map { "\($0.text) (\(grouped($0.count)))" } ?? ""
    }

    /// An object on a line.
    static func json(_ app: AppEntity) -> String {
        var object = JSONObject()
        object.add("position", app.position)
        object.add("id", app.id)
        object.add("bundle_id", string: app.bundleID)
        object.add("name", string: app.name)
        object.add("developer", string: app.developer)
        object.add("rating", app.rating?.average)
        object.add("rating_count", app.rating?.count)
        object.add("price", string: app.price)
        object.add("store_page", string: URLCredentials.removed(from: app.storePage))
        object.add("icon", string: URLCredentials.removed(from: app.icon))
        object.add("phone_screenshots", strings: app.phoneScreenshots.map(URLCredentials.removed(from:)))
        object.add("tablet_screenshots", strings: app.tabletScreenshots.map(URLCredentials.removed(from:)))
        object.add("genres", strings: app.genres)
        object.add("version", string: app.version)
        object.add("description", string: app.summary)
        return object.text + "\n"
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }
}
