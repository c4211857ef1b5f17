import CalotypeCommandLineKit
import CalotypePublish

/// What would be sent, as a table or as JSON.
struct PublishPlanPage {
    private let plan: [PlannedMedium]
    private let order: PublishOrder

    init(_ plan: [PlannedMedium], _ order: PublishOrder) {
        self.plan = plan
        self.order = order
    }

    func write(asJSON: Bool) throws {
        let output = TerminalOutput.standardOutput
        guard !asJSON else { return try output.write(plan.map { $0.json + "\n" }.joined()) }
        var table = TextTable([
            .init("#", .right), .init("Name", leastWidth: 16), .init("Type"), .init("Size", .right),
            .init("Sent", leastWidth: 12),
        ])
        for medium in plan {
            table.add([
                "\(medium.position + 1)", medium.name, "\(medium.type)",
                medium.sourceSize.map { "\($0)" } ?? "", medium.change ?? "as it is",
            ])
        }
        let lines = plan.isEmpty ? [] : table.lines(width: output.isTerminal ? output.columns : nil) + [""]
        try output.write((lines + [summary]).map { $0 + "\n" }.joined())
    }

    private var summary: String {
        let media = plan.isEmpty ? "a text" : plan.count == 1 ? "1 medium" : "\(plan.count) media"
        let place = order.profile.postURL.map { ", the post to \($0)" } ?? ""
        let count = plan.count { $0.losesLocation }
        let photos = count == 1 ? "1 photo" : "\(count) photos"
        let wiping = count == 0 ? "" : "; \(photos) without the GPS position (--keep-metadata keeps it)"
        return "\(media) would go to \(order.destination.name)\(place)\(wiping); nothing was sent"
    }
}
