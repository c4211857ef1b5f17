import CalotypeCatalog

extension WallMachine {
    /// The visible pictures, which are to be loaded; help and the prompt do not hide them.
    var picturesInSight: [WantedPicture] {
        layout.isTooSmall ? [] : picturesOfPage
    }

    private var picturesOfPage: [WantedPicture] {
        switch page {
        case .wall: cells
        case .app(let app): icon(app) + screenshots(app)
        case .picture(over: nil): large(selected?.picture, caption: selected?.title)
        case .picture(over: let app?):
            large(app.selected?.url, caption: app.selected?.title)
        }
    }

    private var cells: [WantedPicture] {
        cellsInSight.map { index in
            let place = index - cellsInSight.lowerBound
            let entry = content.entries[index]
            let area = layout.pictureArea(row: place / layout.columns, column: place % layout.columns)
            return WantedPicture(
                place: .cell(index),
                url: entry.thumbnail(pixels: pixels(area)),
                area: area,
                caption: entry.title,
                isSelected: index == selection
            )
        }
    }

    private func pixels(_ area: CellArea) -> Int {
        max(area.columns * size.cellWidthPixels, area.rows * size.cellHeightPixels)
    }

    private func icon(_ app: AppStoreScreen) -> [WantedPicture] {
        guard let area = app.layout.icon else { return [] }
        // The size is that of the cell, so that the picture is in memory.
        let cell = CellArea(row: 0, column: 0, rows: layout.pictureRows, columns: layout.pictureColumns)
        let url = app.app.iconURL(side: WallEntry.iconSide(pixels: pixels(cell)))
        return [WantedPicture(place: .icon, url: url, area: area, caption: nil, isSelected: false)]
    }

    private func screenshots(_ app: AppStoreScreen) -> [WantedPicture] {
        app.screenshotsInSight.map { index in
            WantedPicture(
                place: .screenshot(index),
                url: app.screenshots[index].url,
                area: app.layout.screenshotArea(index - app.firstScreenshot),
                caption: app.screenshots[index].title,
                isSelected: index == app.selection
            )
        }
    }

    private func large(_ url: String?, caption: String?) -> [WantedPicture] {
        var area = layout.bands.bodyArea
        // The caption uses the last line if there is enough space.
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

extension WallMachine {
    /// The title of the current page, for the first line of the screen.
    var title: String {
        guard case .help = overlay else { return titleOfPage }
        return "Keys and counters"
    }

    /// The position of the selection, such as `3/50`; `nil` if nothing can be selected.
    var position: String? {
        switch page {
        case .picture(let app?): "\(app.selection + 1)/\(app.screenshots.count)"
        default: content.entries.isEmpty ? nil : "\(selection + 1)/\(content.entries.count)"
        }
    }

    private var titleOfPage: String {
        switch page {
        case .wall: content.title
        case .app(let app), .picture(let app?): "\(content.title) › \(app.app.name)"
        case .picture(nil): "\(content.title) › \(selected?.title ?? "")"
        }
    }
}
