import CalotypeCatalog

@testable import CalotypeTerminal

/// Contents for walls.
enum WallSamples {
    static func pictures(_ count: Int) -> WallContent {
        let entries = (0..<count).map {
            WallEntry(CatalogPicture(url: "https://pictures.test/\($0).png", title: "picture \($0)"))
        }
        return WallContent(title: "A list", entries: entries)
    }

    static func apps(_ count: Int, screenshots: Int = 5) -> WallContent {
        let entries = (0..<count).map { WallEntry(app($0, screenshots: screenshots)) }
        return WallContent(title: "camera", entries: entries, canBeLeft: true)
    }

    static func app(_ number: Int, screenshots: Int = 5) -> AppStoreEntity {
        var app = AppStoreEntity(
            id: number,
            position: number + 1,
            name: "App \(number)",
            storePage: "https://apps.test/\(number)",
            icon: "https://apps.test/\(number)/512x512bb.png"
        )
        app.developer = "A developer"
        app.rating = AppStoreEntity.Rating(average: 4.5321, count: 120)
        app.price = "Free"
        app.genres = ["Photo"]
        app.version = "1.2"
        app.phoneScreenshots = (0..<screenshots).map { "https://apps.test/\(number)/\($0).png" }
        app.summary = String(repeating: "It makes pictures of all there is to see.\n", count: 20)
        return app
    }

    static func machine(
        _ content: WallContent,
        columns: Int = 80,
        rows: Int = 24,
        pressing keys: [KeyPress] = []
    ) -> WallMachine {
        var machine = WallMachine(ScreenSize(columns: columns, rows: rows), content: content)
        for key in keys { _ = machine.press(key) }
        return machine
    }
}
