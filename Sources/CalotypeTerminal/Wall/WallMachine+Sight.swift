import CalotypeCatalog

extension WallMachine {
    /// The pictures in sight, which are those to be loaded; help and the prompt hide none.
    var picturesInSight: [WantedPicture] {
        layout.isTooSmall ? [] : picturesOfPage
    }

    private var picturesOfPage: [WantedPicture] {
        switch page {
        case .wall: cells
        case .app(let app): icon(app) + screenshots(app)
        case .picture(over: nil): large(selected?.picture.url, caption: selected?.picture.title)
        case .picture(over: let app?):
            large(
                app.screenshots.isEmpty ? nil : app.screenshots[app.selection],
                caption: "screenshot \(app.selection + 1) of \(app.screenshots.count)"
            )
        }
    }

    private var cells: [WantedPicture] {
        cellsInSight.map { index in
            let place = index - cellsInSight.lowerBound
            let picture = content.entries[index].picture
            return WantedPicture(
                place: .cell(index),
                url: picture.url,
                area: layout.pictureArea(row: place / layout.columns, column: place % layout.columns),
                caption: picture.title,
                isSelected: index == selection
            )
        }
    }

    private func icon(_ app: AppPage) -> [WantedPicture] {
        guard let area = app.layout.icon else { return [] }
        return [WantedPicture(place: .icon, url: app.app.icon, area: area, caption: nil, isSelected: false)]
    }

    private func screenshots(_ app: AppPage) -> [WantedPicture] {
        app.screenshotsInSight.map { index in
            WantedPicture(
                place: .screenshot(index),
                url: app.screenshots[index],
                area: app.layout.screenshotArea(index - app.firstScreenshot),
                caption: "\(index + 1) of \(app.screenshots.count)",
                isSelected: index == app.selection
            )
        }
    }

    private func large(_ url: String?, caption: String?) -> [WantedPicture] {
        var area = layout.bands.bodyArea
        // The last line is the caption's, where there is one to spare.
        if area.rows > 3 { area.rows -= 1 }
        guard let url, area.rows > 0 else { return [] }
        return [
            WantedPicture(
                place: .large,
                url: url,
                area: area,
                caption: area.rows > 2 ? caption : nil,
                isSelected: false
            )
        ]
    }
}
