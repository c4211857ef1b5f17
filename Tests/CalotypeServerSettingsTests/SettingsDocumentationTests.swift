import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import Testing

@testable import CalotypeServerSettings

@Suite
struct SettingsDocumentationTests {
    @Test func `docs/server.md documents each setting as it is declared`() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let file = try OpenFile(folder + "/docs/server.md", O_RDONLY)
        let text = String(decoding: try file.read(1 << 20), as: UTF8.self)
        let lines = Set(text.split(separator: "\n").map(String.init))
        for line in Self.table where !lines.contains(line) { Issue.record("docs/server.md lacks: \(line)") }
        let rows = lines.filter { $0.hasPrefix("| `--") && !$0.contains("`, `--") }
        for row in rows where !Self.table.contains(row) {
            Issue.record("docs/server.md has, and nothing declares: \(row)")
        }
    }

    /// The lines of the tables.
    static var table: [String] {
        ServerSettings.groups.flatMap { group in
            ["### \(group.title)", "| Option | imgproxy | Default | |", "|---|---|---|---|"]
                + group.settings.map(row)
        }
    }

    private static func value(of setting: ServerSetting) -> String {
        setting.placeholder.map { setting.impliedText == nil ? " \($0)" : "[=\($0)]" } ?? ""
    }

    private static func row(_ setting: ServerSetting) -> String {
        let option = "`--\(setting.name)\(value(of: setting))`"
            .split(separator: "|").joined(separator: "\\|")
        let foreign = setting.imgproxyVariables.map { "`\($0.dropFirst("IMGPROXY_".count))`" }
        return
            "| \(option) | \(foreign.joined(separator: ", ")) | \(setting.defaultText ?? "") | \(setting.help) |"
    }
}
