import CalotypeCatalog

extension WallMachine {
    /// Where one is, for the first line of the screen.
    var title: String {
        guard case .help = overlay else { return titleOfPage }
        return "Keys and figures"
    }

    /// Which of how many is selected, such as `3/50`; `nil` where there is nothing to select.
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
