import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeServer
import CalotypeServerSettings
import Testing

@testable import CalotypeApp

struct AppOptionsTests {
    private static func problem(
        _ options: AppOptions,
        _ configure: (inout ServerConfiguration) -> Void
    ) -> String? {
        var server = ServerConfiguration()
        configure(&server)
        do throws(UsageError) {
            try options.check(with: server)
            return nil
        } catch {
            return error.description
        }
    }

    private static func on(_ token: String? = nil) -> AppOptions {
        var options = AppOptions()
        (options.isOn, options.token) = (true, token)
        return options
    }

    @Test func `options, variables and their defaults`() throws {
        let none = try AppSettings.options([], environment: [:])
        #expect(none == AppOptions())
        let told = try AppSettings.options(
            [("api", "http://127.0.0.1:8090/"), ("publish-profile", "a,b")],
            environment: [
                "CALOTYPE_APP": "true", "CALOTYPE_APP_TOKEN": "t", "CALOTYPE_API": "http://other.test",
            ]
        )
        #expect(told.isOn)
        #expect(told.token == "t")
        #expect(told.api == "http://127.0.0.1:8090/")
        #expect(told.profiles == ["a", "b"])
    }

    @Test(arguments: [
        (
            "CALOTYPE_APP_TOKEN", "two words",
            "CALOTYPE_APP_TOKEN: its value is not one word of visible ASCII characters"
        ),
        ("CALOTYPE_API", "nonsense", nil), ("CALOTYPE_API", "http://127.0.0.1/?q", nil),
        ("CALOTYPE_APP", "perhaps", nil),
    ])
    func `an invalid value is reported with its name, but a token never is`(
        name: String,
        text: String,
        told: String?
    ) {
        #expect {
            try AppSettings.options([], environment: [name: text])
        } throws: { error in
            let problem = (error as? UsageError)?.description
            return problem?.hasPrefix(name) == true && (told == nil || problem == told)
        }
    }

    @Test func `an option of the app without the app is refused, a variable is not`() throws {
        #expect(throws: UsageError.self) {
            try AppSettings.options([("app-folder", "/x")], environment: [:])
        }
        let told = try AppSettings.options([], environment: ["CALOTYPE_API": "http://127.0.0.1:8090"])
        #expect(!told.isOn)
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "photos.example"])
    func `where others can reach it the app needs a token`(host: String) {
        let problem = Self.problem(Self.on()) { $0.listener.host = host }
        #expect(problem?.contains("CALOTYPE_APP_TOKEN") == true)
        #expect(Self.problem(Self.on("t")) { $0.listener.host = host } == nil)
        #expect(Self.problem(AppOptions()) { $0.listener.host = host } == nil)
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    func `on this machine alone it needs none`(host: String) {
        #expect(Self.problem(Self.on()) { $0.listener.host = host } == nil)
    }

    @Test func `what the app's pictures cannot work with is refused`() {
        #expect(Self.problem(Self.on()) { $0.secret = "x" }?.contains("--secret") == true)
        #expect(Self.problem(Self.on()) { $0.paths.onlyPresets = true }?.contains("--only-presets") == true)
        #expect(Self.problem(Self.on()) { $0.paths.allowedOptions = [.quality] }?.contains("resize") == true)
        #expect(Self.problem(Self.on()) { $0.paths.allowedOptions = [.resize] } == nil)
        #expect(Self.problem(Self.on()) { $0.paths.prefix = "/app" }?.contains("--path-prefix") == true)
        #expect(Self.problem(Self.on()) { $0.paths.prefix = "/images" } == nil)
    }

    @Test func `a catalogue that was named may be anywhere, the real one may not`() throws {
        var options = Self.on()
        #expect(
            try options.configuration(with: ServerConfiguration(), environment: [:]).catalogPolicy
                == .publicOnly
        )
        options.api = "http://127.0.0.1:8090"
        let named = try options.configuration(with: ServerConfiguration(), environment: [:])
        #expect(named.catalogPolicy == .any)
        #expect(named.services == CatalogServices(base: "http://127.0.0.1:8090"))
        #expect(named.folder == nil)
    }

    @Test func `without profiles that can be read nothing starts`() {
        var options = Self.on()
        options.profiles = ["nobody"]
        #expect(throws: CalotypeError.self) {
            try options.configuration(
                with: ServerConfiguration(),
                environment: ["XDG_CONFIG_HOME": "/nowhere"]
            )
        }
    }
}
