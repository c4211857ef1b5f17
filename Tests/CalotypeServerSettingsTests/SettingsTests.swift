import Calotype
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeHTTPMessages
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer
@testable import CalotypeServerSettings

@Suite
struct SettingsTests {
    @Test func `an option counts before our variable, and that before imgproxy's`() throws {
        let all = ["IMGPROXY_TTL": "1", "CALOTYPE_TTL": "2"]
        let option = try ServerSettings.configuration(options: [("ttl", "3")], environment: all)
        #expect(option.configuration.answers.timeToLive == .seconds(3))
        let own = try ServerSettings.configuration(options: [], environment: all)
        #expect(own.configuration.answers.timeToLive == .seconds(2))
        let foreign = try ServerSettings.configuration(options: [], environment: ["IMGPROXY_TTL": "1"])
        #expect(foreign.configuration.answers.timeToLive == .seconds(1))
        let empty = try ServerSettings.configuration(options: [], environment: ["CALOTYPE_TTL": ""])
        #expect(empty.configuration.answers.timeToLive == .seconds(31_536_000))
    }

    @Test(arguments: [
        (
            "CALOTYPE_TTL", "soon",
            "CALOTYPE_TTL: 'soon' is not a time such as 5s, 500ms or 2m, 0 to 3153600000 seconds"
        ),
        ("IMGPROXY_KEY", "no hex", "IMGPROXY_KEY: its value is not an even number of hexadecimal digits"),
        (
            "IMGPROXY_KEY", "ab",
            "--salt (CALOTYPE_SALT, IMGPROXY_SALT): there are 1 keys and 0 salts; each key needs a salt of its own"
        ),
        (
            "CALOTYPE_SALT", "ab,cd",
            "--key (CALOTYPE_KEY, IMGPROXY_KEY): there are 0 keys and 2 salts; each key needs a salt of its own"
        ),
        ("IMGPROXY_BIND", "8080", "IMGPROXY_BIND: '8080' is not an address such as 127.0.0.1:8080"),
        ("IMGPROXY_ONLY_PRESETS", "maybe", "IMGPROXY_ONLY_PRESETS: 'maybe' is neither true nor false"),
        ("IMGPROXY_FORMAT_QUALITY", "webp=0", nil), ("IMGPROXY_PREFERRED_FORMATS", "gig", nil),
        ("CALOTYPE_PRESETS", "a=nonsense:1", nil), ("CALOTYPE_PRESETS_PATH", "/nowhere", nil),
    ])
    func `an invalid value is reported with its name`(name: String, text: String, told: String?) {
        #expect {
            try ServerSettings.configuration(options: [], environment: [name: text])
        } throws: { error in
            let problem = (error as? UsageError)?.description
            return problem != nil && (told == nil || problem == told)
        }
    }

    @Test func `unsupported variables of imgproxy are reported`() throws {
        let told = try ServerSettings.configuration(
            options: [],
            environment: [
                "IMGPROXY_USE_S3": "true", "IMGPROXY_NONSENSE": "", "IMGPROXY_TTL": "1", "HOME": "/",
            ]
        )
        #expect(told.unknown == ["IMGPROXY_USE_S3"])
    }

    @Test func `switches of imgproxy's that are on by default can be turned off by either name`() throws {
        let foreign = try ServerSettings.configuration(
            options: [],
            environment: ["IMGPROXY_USE_ETAG": "false"]
        )
        #expect(!foreign.configuration.answers.hasEntityTags)
        let own = try ServerSettings.configuration(options: [], environment: ["CALOTYPE_NO_ETAG": "true"])
        #expect(!own.configuration.answers.hasEntityTags)
        let option = try ServerSettings.configuration(options: [("no-etag", "true")], environment: [:])
        #expect(!option.configuration.answers.hasEntityTags)
    }

    @Test func `what deployments of imgproxy set is understood`() throws {
        let told = try ServerSettings.configuration(
            options: [],
            environment: [
                "IMGPROXY_BIND": ":9000", "IMGPROXY_KEY": "73,74", "IMGPROXY_SALT": "68,69",
                "IMGPROXY_MAX_SRC_RESOLUTION": "16.8", "IMGPROXY_FORMAT_QUALITY": "webp=70,avif=50,jxl=77",
                "IMGPROXY_PREFERRED_FORMATS": "jpeg,png,gif", "IMGPROXY_ENABLE_WEBP_DETECTION": "t",
                "IMGPROXY_AUTO_AVIF": "1", "IMGPROXY_WORKERS": "3", "IMGPROXY_MAX_REDIRECTS": "3",
                "IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/srv",
                "IMGPROXY_PATH_PREFIX": "images/", "IMGPROXY_PRESETS": "thumb=rs:fill:256:256/q:70",
            ]
        )
        let configuration = told.configuration
        #expect(configuration.listener.host == "0.0.0.0")
        #expect(configuration.listener.port == 9_000)
        #expect(!configuration.isUnsigned)
        #expect(configuration.limits.pixels == 16_800_000)
        #expect(configuration.paths.defaults.formatQualities[.webp] == 70)
        #expect(configuration.paths.defaults.formatQualities[.jxl] == 77)
        #expect(configuration.negotiation.offered == [.avif, .webp])
        #expect(configuration.pipeline.codec.threads == 3)
        #expect(configuration.pipeline.redirects == 3)
        #expect(configuration.paths.prefix == "/images")
        #expect(try configuration.completePaths().allowsLocal)
        #expect(told.unknown.isEmpty)
    }

    @Test func `the environment's proxies apply unless a setting names one`() throws {
        let environment = ["https_proxy": "http://one:8001", "no_proxy": "near.example"]
        let rules = try ServerSettings.configuration(options: [], environment: environment)
            .configuration.pipeline.transport.proxies
        #expect(rules.proxy(for: try WebURL("https://far.example/"))?.text == "http://one:8001/")
        #expect(rules.proxy(for: try WebURL("https://near.example/")) == nil)
        let named = try ServerSettings.configuration(
            options: [("proxy", "http://two:8002")],
            environment: environment
        )
        #expect(named.configuration.pipeline.transport.proxies == .all(try WebURL("http://two:8002")))
        #expect(throws: UsageError.self) {
            try ServerSettings.configuration(options: [], environment: ["http_proxy": "socks5://one:8001"])
        }
    }

    @Test func `sources are at public addresses only, unless all are allowed`() throws {
        let safe = try ServerSettings.configuration(options: [], environment: [:]).configuration
        #expect(safe.completePipeline.addressPolicy == .publicOnly)
        #expect(safe.completePipeline.connections == 1_024)
        #expect(safe.completePipeline.connectionsPerHost == 16)
        let open = try ServerSettings.configuration(options: [("allow-private", "true")], environment: [:])
        #expect(open.configuration.completePipeline.addressPolicy == .allPrivate)
    }

    @Test(arguments: [
        ("1", AddressPolicy.allPrivate), ("true", .allPrivate), ("false", .publicOnly),
        ("10.0.0.0/8,::1", AddressPolicy(networks: ["10.0.0.0/8", "::1"].compactMap { IPNetwork($0) })),
        (
            "true, 169.254.169.254",
            AddressPolicy.allPrivate.union(
                AddressPolicy(networks: ["169.254.169.254"].compactMap { IPNetwork($0) })
            )
        ),
    ])
    func `private addresses are allowed all together or by networks`(
        _ text: String,
        _ policy: AddressPolicy
    ) throws {
        for (options, environment) in [
            ([("allow-private", text)], [:]), ([], ["CALOTYPE_ALLOW_PRIVATE": text]),
            ([("allow-private", text)], ["CALOTYPE_ALLOW_PRIVATE": "127.0.0.1"]),
        ] as [([(String, String)], [String: String])] {
            let told = try ServerSettings.configuration(
                options: options.map { (name: $0.0, text: $0.1) },
                environment: environment
            )
            #expect(told.configuration.completePipeline.addressPolicy == policy)
        }
    }

    @Test(arguments: [
        ("LOOPBACK", AddressPolicy.loopback), ("LINK_LOCAL", .linkLocal), ("PRIVATE", .privateNetworks),
    ])
    func `imgproxy's variables allow one more kind of addresses each`(
        _ name: String,
        _ kind: AddressPolicy
    ) throws {
        let variable = "IMGPROXY_ALLOW_\(name)_SOURCE_ADDRESSES"
        for (text, policy) in [("true", kind), ("false", .publicOnly)] {
            let told = try ServerSettings.configuration(options: [], environment: [variable: text])
            #expect(told.unknown.isEmpty)
            #expect(told.configuration.completePipeline.addressPolicy == policy)
        }
        let all = try ServerSettings.configuration(
            options: [("allow-private", "true")],
            environment: [variable: "false"]
        )
        #expect(all.configuration.completePipeline.addressPolicy == .allPrivate)
    }

    @Test func `each name stands for one setting`() {
        let names = ServerSettings.all.flatMap { [$0.name, $0.variable] + $0.imgproxyVariables }
        #expect(Set(names).count == names.count)
        #expect(ServerSettings.all.allSatisfy { $0.help.hasSuffix(".") })
    }
}
