import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeServer
import CalotypeServerSettings
import Testing

@testable import CalotypeApp

@Suite
struct AppDocumentationTests {
    @Test func `docs/app.md documents each setting as it is declared`() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let file = try OpenFile(folder + "/docs/app.md", O_RDONLY)
        let text = String(decoding: try file.read(1 << 20), as: UTF8.self)
        let told = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `--") }
        let declared = AppSettings.group.settings.map(Self.row)
        #expect(told == declared)
    }

    private static func row(_ setting: Setting<AppOptions>) -> String {
        let option = "`--\(setting.name)\(setting.placeholder.map { " \($0)" } ?? "")`"
        return "| \(option) | `\(setting.variable)` | \(setting.defaultText ?? "") | \(setting.help) |"
    }
}
