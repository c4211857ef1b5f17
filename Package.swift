// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(), .treatAllWarnings(as: .error), .treatWarning("ExplicitSendable", as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.init(stringLiteral: name)] + dependencies,
        swiftSettings: strict
    )
}

let package = Package(
    name: "calotype",
    products: [
        .library(
            name: "Calotype",
            targets: ["Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypeStore"]
        ),
        .library(name: "CalotypeCatalog", targets: ["CalotypeCatalog"]),
        .library(name: "CalotypePublish", targets: ["CalotypePublish"]),
        .library(name: "TaskFlow", targets: ["TaskFlow"]),
        .library(name: "TaskFlowTesting", targets: ["TaskFlowTesting"]),
        .library(
            name: "CalotypeTestKit",
            targets: ["CalotypeTestKit", "CalotypeOrigin", "CalotypeCodec", "CalotypeHTTP", "SamplePictures"]
        ),
        .executable(name: "calotype", targets: ["CalotypeCommand"]),
    ],
    targets: [
        // Building blocks and values.
        module("TaskFlow"),
        module("CalotypeCore", ["TaskFlow"]),

        // One system library and one shim per C library; one Swift module imports it.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CCurlShim", dependencies: ["CCurl"]),
        module("CalotypeHTTP", ["CCurl", "CCurlShim", "CalotypeCore", "TaskFlow"]),
        // Loads libvips when the first picture is decoded: see Sources/CVipsShim/VipsLibrary.h.
        .target(name: "CVipsShim"),
        .systemLibrary(name: "CJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
        .target(name: "CJPEGShim", dependencies: ["CJPEG"]),
        .systemLibrary(name: "CISAL", pkgConfig: "libisal", providers: [.apt(["libisal-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .target(name: "CPNGShim", dependencies: ["CISAL", "CDeflate"]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .target(name: "CWebPShim", dependencies: ["CWebP"]),
        .systemLibrary(name: "CLittleCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        // Scales rows of samples; C, for the compiler's vectors and a choice of instructions at run time.
        .target(name: "CScaler"),
        // Starts processes and hands descriptors to them.
        .target(name: "CWorkerShim"),
        module(
            "CalotypeCodec",
            [
                "CJPEGShim", "CLittleCMS", "CPNGShim", "CScaler", "CVipsShim", "CWebPShim", "CWorkerShim",
                "CalotypeCore", "TaskFlow",
            ]
        ),

        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        module("SQLiteConnection", ["CSQLite"]),
        // Knows HTTP and no pictures.
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .target(name: "CMicroHTTPDShim", dependencies: ["CMicroHTTPD"]),
        module(
            "HTTPListener",
            ["CEpollShim", "CMicroHTTPD", "CMicroHTTPDShim", "CalotypeCore", "CalotypeHTTP", "TaskFlow"]
        ),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CChecksumShim"),
        module("Digests", ["CCrypto", "CChecksumShim"]),

        // Loads libarchive when the first archive is written, as CVipsShim loads libvips.
        .target(name: "CArchiveShim"),
        module("Archives", ["CArchiveShim"]),

        module("CalotypeStore", ["CalotypeCore", "Digests", "SQLiteConnection", "TaskFlow"]),

        // The pipeline and its faces.
        module("Calotype", ["CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypeStore", "TaskFlow"]),
        module("CalotypeBulk", ["Calotype", "CalotypeCore", "TaskFlow"]),
        module("CalotypeCatalog", ["Calotype", "CalotypeCore", "CalotypeHTTP", "CalotypeStore", "TaskFlow"]),
        module(
            "CalotypePublish",
            [
                "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "Digests", "SQLiteConnection",
                "TaskFlow",
            ]
        ),
        // Thumbnails over HTTP.
        .target(name: "COpenShim"),
        module(
            "CalotypeServer",
            [
                "COpenShim", "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypeStore",
                "CommandLineKit", "Digests", "HTTPListener", "TaskFlow",
            ]
        ),
        module("CommandLineKit", ["CalotypeCore"]),
        // The web app; its files are put into the binary.
        .target(name: "CAppPages", exclude: ["pages"]),
        module(
            "CalotypeApp",
            [
                "Archives", "CAppPages", "Calotype", "CalotypeBulk", "CalotypeCatalog", "CalotypeCodec",
                "CalotypeCore",
                "CalotypeHTTP",
                "CalotypePublish", "CalotypeServer", "CalotypeStore", "CommandLineKit", "Digests",
                "HTTPListener", "TaskFlow",
            ]
        ),
        // Loads libchafa when the first picture is drawn on a terminal, as CVipsShim loads libvips.
        .target(name: "CChafaShim"),
        module(
            "CalotypeTerminal",
            [
                "CChafaShim", "Calotype", "CalotypeCatalog", "CalotypeCore", "CalotypeStore",
                "CommandLineKit",
                "TaskFlow",
            ]
        ),
        .executableTarget(
            name: "CalotypeCommand",
            dependencies: [
                "Calotype", "CalotypeApp", "CalotypeBulk", "CalotypeCatalog", "CalotypeCodec", "CalotypeCore",
                "CalotypeHTTP", "CalotypeOrigin", "CalotypePublish", "CalotypeServer",
                "CalotypeStore", "CalotypeTerminal", "CommandLineKit", "SamplePictures", "TaskFlow",
            ],
            swiftSettings: strict
        ),

        // For demos and tests, ours and our users'.
        module("SamplePictures", ["CalotypeCodec", "CalotypeCore", "TaskFlow"]),
        .target(name: "CEpollShim"),
        module(
            "CalotypeOrigin",
            ["CEpollShim", "CalotypeCodec", "CalotypeCore", "Digests", "SamplePictures", "TaskFlow"]
        ),
        module(
            "CalotypeTestKit",
            [
                "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "SamplePictures", "TaskFlow",
                "TaskFlowTesting",
            ]
        ),

        // Puts tasks on a schedule that follows from a seed.
        .target(name: "CTaskHooks"),
        module("TaskFlowTesting", ["CTaskHooks", "TaskFlow"]),

        tests("TaskFlow", ["TaskFlowTesting"]),
        tests("TaskFlowTesting", ["TaskFlow"]),
        tests("Digests"),
        tests("Archives"),
        tests("CalotypeCore"),
        // Answers getaddrinfo in the test program's place.
        .target(name: "CScriptedNames", path: "Tests/CScriptedNames"),
        tests("CalotypeHTTP", ["CScriptedNames", "CalotypeCore", "CalotypeTestKit", "TaskFlow"]),
        // A worker process that goes wrong where it is asked to.
        .executableTarget(
            name: "DecodeWorker",
            dependencies: ["CalotypeCodec", "CalotypeCore"],
            path: "Tests/DecodeWorker",
            swiftSettings: strict
        ),
        tests("CalotypeCodec", ["CalotypeCore", "CalotypeTestKit", "DecodeWorker", "TaskFlow"]),
        // Simulations and trials of the disk cache, for the tests, the benchmark and the soak.
        .target(
            name: "StoreTrials",
            dependencies: ["CalotypeCore", "CalotypeStore", "Digests", "SQLiteConnection", "TaskFlow"],
            path: "Tests/StoreTrials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "StoreTrialsCommand",
            dependencies: ["CalotypeCore", "StoreTrials"],
            path: "Tests/StoreTrialsCommand",
            swiftSettings: strict
        ),
        // Our own concurrency in every order, for the tests and the soak.
        .target(
            name: "ScheduleTrials",
            dependencies: [
                "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypePublish",
                "CalotypeStore",
                "CalotypeTestKit", "Digests", "HTTPListener", "SQLiteConnection", "TaskFlow",
                "TaskFlowTesting",
            ],
            path: "Tests/ScheduleTrials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ScheduleTrialsCommand",
            dependencies: ["ScheduleTrials", "TaskFlowTesting"],
            path: "Tests/ScheduleTrialsCommand",
            swiftSettings: strict
        ),
        tests("ScheduleTrials", ["CalotypeHTTP", "TaskFlowTesting"]),
        // Damage and crowds for the codec, for the soak.
        .target(
            name: "CodecTrials",
            dependencies: ["CalotypeCodec", "CalotypeCore", "SamplePictures", "TaskFlow"],
            path: "Tests/CodecTrials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "CodecTrialsCommand",
            dependencies: ["CalotypeCodec", "CodecTrials"],
            path: "Tests/CodecTrialsCommand",
            swiftSettings: strict
        ),
        tests("SQLiteConnection"),
        tests(
            "CalotypeStore",
            [
                "CalotypeCore", "CalotypeTestKit", "Digests", "SQLiteConnection", "SamplePictures",
                "StoreTrials",
                "TaskFlow",
            ]
        ),
        tests("SamplePictures", ["CalotypeCodec", "CalotypeCore"]),
        tests(
            "CalotypeOrigin",
            ["CalotypeCodec", "CalotypeCore", "CalotypeTestKit", "Digests", "TaskFlow"]
        ),
        tests(
            "CalotypeTestKit",
            ["Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypeOrigin", "TaskFlow"]
        ),
        tests("CommandLineKit"),
        tests(
            "Calotype",
            [
                "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypeOrigin", "CalotypeStore",
                "CalotypeTestKit", "SamplePictures", "TaskFlow",
            ]
        ),
        tests("CalotypeBulk", ["Calotype", "CalotypeCore", "CalotypeTestKit", "TaskFlow"]),
        tests(
            "CalotypeCatalog",
            [
                "Calotype", "CalotypeCore", "CalotypeHTTP", "CalotypeOrigin", "CalotypeStore",
                "CalotypeTestKit", "TaskFlow",
            ]
        ),
        tests(
            "CalotypePublish",
            [
                "Calotype", "CalotypeCore", "CalotypeHTTP", "CalotypeOrigin", "CalotypeTestKit", "Digests",
                "SQLiteConnection", "TaskFlow",
            ]
        ),
        tests("HTTPListener", ["CalotypeCore", "CalotypeHTTP", "CalotypeTestKit", "TaskFlow"]),
        tests(
            "CalotypeServer",
            [
                "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypeOrigin",
                "CalotypeStore", "CalotypeTestKit", "Digests", "HTTPListener", "SamplePictures", "TaskFlow",
            ]
        ),
        tests(
            "CalotypeApp",
            [
                "Calotype", "CalotypeBulk", "CalotypeCatalog", "CalotypeCore", "CalotypeHTTP",
                "CalotypeOrigin", "CalotypePublish", "CalotypeServer", "CalotypeTestKit", "Digests",
                "HTTPListener", "TaskFlow",
            ]
        ),
        tests(
            "CalotypeTerminal",
            [
                "Calotype", "CalotypeCatalog", "CalotypeCore", "CalotypeTestKit", "CommandLineKit",
                "SamplePictures", "TaskFlow",
            ]
        ),

        // The Swift code of the documentation.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Calotype", "CalotypeCatalog", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP",
                "CalotypePublish", "CalotypeStore", "CalotypeTestKit", "TaskFlow", "TaskFlowTesting",
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)

// One part alone builds faster: `CALOTYPE_PARTS=TaskFlow,CalotypeStore` leaves the tests of all others out.
if let parts = Context.environment["CALOTYPE_PARTS"]?.split(separator: ",") {
    package.targets.removeAll { $0.type == .test && !parts.contains($0.name.dropLast("Tests".count)) }
}
