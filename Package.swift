// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(), .treatAllWarnings(as: .error), .treatWarning("ExplicitSendable", as: .error),
]

/// The C library of the system and what Linux and macOS do differently: all modules may use it.
let platform = Target.target(
    name: "CalotypePlatform",
    path: "Sources/Foundations/Platform",
    swiftSettings: strict
)

/// A Swift module in its folder below `Sources`.
func module(_ name: String, in folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies + ["CalotypePlatform"],
        path: "Sources/\(folder)",
        swiftSettings: strict
    )
}

/// A library that Swift calls as it is: a module map in `Sources/C`.
func library(_ folder: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: "CalotypeC\(folder)",
        path: "Sources/C/\(folder)",
        pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])]
    )
}

/// C code of ours in `Sources/C`, with the libraries that it calls and the trait that it depends on.
func c(_ folder: String, links: [String] = [], trait: String? = nil, exclude: [String] = []) -> Target {
    .target(
        name: "CalotypeC\(folder)",
        path: "Sources/C/\(folder)",
        exclude: exclude,
        cSettings: trait.map { [.define("CALOTYPE_\($0.uppercased())", .when(traits: [$0]))] },
        linkerSettings: links.map { .linkedLibrary($0) }
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.init(stringLiteral: name), "CalotypePlatform"] + dependencies,
        swiftSettings: strict
    )
}

// Exactly one Swift module imports each of them, apart from POSIX.
let libraries: [Target] = [
    // The codec's. libvips is loaded when a source needs it: see Sources/C/Pictures/Vips/VipsLibrary.h.
    c("Pictures", links: ["jpeg", "webp", "isal", "deflate", "lcms2"], trait: "Libvips"),
    c("Curl", links: ["curl"]),
    c("MicroHTTPD", links: ["microhttpd"]),
    library("SQLite", "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    library("Crypto", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    // They load libarchive and libchafa when those are needed.
    c("Archive", trait: "Archives"),
    c("Chafa", trait: "TerminalPictures"),
    // Calls of Linux and of the processor that Swift cannot make.
    c("POSIX"),
    // The files of the web app, put into the binary.
    c("AppPages", links: ["deflate"], exclude: ["pages"]),
    // Catches the jobs of Swift's runtime, for schedules.
    c("TaskHooks"),
]

// They know nothing of pictures.
let foundations: [Target] = [
    platform,
    module("TaskFlow", in: "Foundations/TaskFlow"),
    module("CalotypeFiles", in: "Foundations/Files", ["CalotypeCPOSIX", "TaskFlow"]),
    module("CalotypeHTTPMessages", in: "Foundations/HTTPMessages"),
    module("CalotypeDigests", in: "Foundations/Digests", ["CalotypeCCrypto", "CalotypeCPOSIX"]),
    module("CalotypeSQLite", in: "Foundations/SQLite", ["CalotypeCSQLite", "CalotypeFiles"]),
    module("CalotypeArchives", in: "Foundations/Archives", ["CalotypeCArchive"]),
]

let engine: [Target] = [
    module("CalotypeCore", in: "Engine/Core", ["CalotypeFiles", "CalotypeHTTPMessages", "TaskFlow"]),
    module(
        "CalotypeHTTP",
        in: "Engine/HTTP",
        ["CalotypeCCurl", "CalotypeCore", "CalotypeFiles", "CalotypeHTTPMessages", "TaskFlow"]
    ),
    module(
        "CalotypeCodec",
        in: "Engine/Codec",
        [
            "CalotypeCPOSIX", "CalotypeCPictures", "CalotypeCore", "CalotypeFiles", "TaskFlow",
        ]
    ),
    module(
        "CalotypeStore",
        in: "Engine/Store",
        ["CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypeSQLite", "TaskFlow"]
    ),
    module(
        "Calotype",
        in: "Engine/Calotype",
        [
            "CalotypeCodec", "CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypeHTTP",
            "CalotypeHTTPMessages", "CalotypeStore", "TaskFlow",
        ]
    ),
]

// What others build on the engine; they do not import each other.
let faces: [Target] = [
    module(
        "CalotypeBulk",
        in: "Faces/Bulk",
        [
            "Calotype", "CalotypeArchives", "CalotypeCodec", "CalotypeCore", "CalotypeDigests",
            "CalotypeFiles", "CalotypeHTTP", "CalotypeHTTPMessages", "CalotypeStore", "TaskFlow",
        ]
    ),
    module("CalotypeFoundation", in: "Faces/Foundation", ["Calotype", "CalotypeCore", "TaskFlow"]),
    module(
        "CalotypeCatalog",
        in: "Faces/Catalog",
        ["Calotype", "CalotypeCore", "CalotypeHTTP", "CalotypeHTTPMessages", "CalotypeStore", "TaskFlow"]
    ),
    module(
        "CalotypePublish",
        in: "Faces/Publish",
        [
            "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypeHTTP",
            "CalotypeHTTPMessages", "CalotypeSQLite", "TaskFlow",
        ]
    ),
    module(
        "CalotypeHTTPListener",
        in: "Faces/HTTPListener",
        ["CalotypeCMicroHTTPD", "CalotypeCPOSIX", "CalotypeFiles", "CalotypeHTTPMessages", "TaskFlow"]
    ),
    module(
        "CalotypeServer",
        in: "Faces/Server",
        [
            "Calotype", "CalotypeCPOSIX", "CalotypeCodec", "CalotypeCore", "CalotypeDigests",
            "CalotypeFiles", "CalotypeHTTP", "CalotypeHTTPListener", "CalotypeHTTPMessages",
            "CalotypeStore", "TaskFlow",
        ]
    ),
]

let command: [Target] = [
    module("CalotypeCommandLineKit", in: "Command/CommandLineKit", ["CalotypeFiles", "TaskFlow"]),
    module(
        "CalotypeTerminal",
        in: "Command/Terminal",
        [
            "Calotype", "CalotypeCChafa", "CalotypeCatalog", "CalotypeCommandLineKit", "CalotypeCore",
            "CalotypeFiles", "CalotypeStore", "TaskFlow",
        ]
    ),
    module(
        "CalotypeServerSettings",
        in: "Command/ServerSettings",
        [
            "Calotype", "CalotypeCodec", "CalotypeCommandLineKit", "CalotypeCore", "CalotypeDigests",
            "CalotypeFiles", "CalotypeHTTP", "CalotypeHTTPListener", "CalotypeHTTPMessages", "CalotypeServer",
            "CalotypeStore",
        ]
    ),
    module(
        "CalotypeApp",
        in: "Command/App",
        [
            "Calotype", "CalotypeArchives", "CalotypeBulk", "CalotypeCAppPages", "CalotypeCatalog",
            "CalotypeCodec", "CalotypeCommandLineKit", "CalotypeCore", "CalotypeDigests", "CalotypeFiles",
            "CalotypeHTTP", "CalotypeHTTPListener", "CalotypeHTTPMessages", "CalotypeOrigin",
            "CalotypePublish", "CalotypeSamplePictures", "CalotypeServer", "CalotypeServerSettings",
            "TaskFlow",
        ]
    ),
    .executableTarget(
        name: "CalotypeCommand",
        dependencies: [
            "Calotype", "CalotypeApp", "CalotypeBulk", "CalotypeCatalog", "CalotypeCodec",
            "CalotypeCommandLineKit", "CalotypeCore", "CalotypeFiles", "CalotypeHTTP", "CalotypeOrigin",
            "CalotypePlatform", "CalotypePublish", "CalotypeSamplePictures", "CalotypeServer",
            "CalotypeServerSettings",
            "CalotypeStore", "CalotypeTerminal", "TaskFlow",
        ],
        path: "Sources/Command/Calotype",
        swiftSettings: strict
    ),
]

// For demos and tests, ours and our users'.
let testing: [Target] = [
    module("TaskFlowTesting", in: "Testing/TaskFlowTesting", ["CalotypeCTaskHooks", "TaskFlow"]),
    module(
        "CalotypeSamplePictures",
        in: "Testing/SamplePictures",
        ["CalotypeCodec", "CalotypeCore", "CalotypeStore", "TaskFlow"]
    ),
    module(
        "CalotypeOrigin",
        in: "Testing/Origin",
        [
            "CalotypeCPOSIX", "CalotypeCodec", "CalotypeCore", "CalotypeDigests", "CalotypeFiles",
            "CalotypeHTTPMessages", "CalotypeSamplePictures", "CalotypeStore", "TaskFlow",
        ]
    ),
    module(
        "CalotypeTestKit",
        in: "Testing/TestKit",
        [
            "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeFiles", "CalotypeHTTP",
            "CalotypeSamplePictures", "TaskFlow", "TaskFlowTesting",
        ]
    ),
]

// What our tests share: it is no part of any product.
let trials: [Target] = [
    // Answers getaddrinfo in the test program's place.
    .target(name: "CScriptedNames", path: "Tests/CScriptedNames"),
    // Attempts to leave a worker's sandbox.
    .target(name: "CEscapes", path: "Tests/CEscapes"),
    // A worker process that goes wrong where it is asked to.
    .executableTarget(
        name: "DecodeWorker",
        dependencies: ["CEscapes", "CalotypeCodec", "CalotypeCore", "CalotypePlatform"],
        path: "Tests/DecodeWorker",
        swiftSettings: strict
    ),
    // Simulations and trials of the disk cache, for the tests, the benchmark and the soak.
    .target(
        name: "StoreTrials",
        dependencies: [
            "CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypePlatform", "CalotypeSQLite",
            "CalotypeStore", "TaskFlow",
        ],
        path: "Tests/StoreTrials",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "StoreTrialsCommand",
        dependencies: ["CalotypeCore", "CalotypeFiles", "CalotypePlatform", "StoreTrials"],
        path: "Tests/StoreTrialsCommand",
        swiftSettings: strict
    ),
    // Our own concurrency in every order, for the tests and the soak.
    .target(
        name: "ScheduleTrials",
        dependencies: [
            "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeFiles", "CalotypeHTTP",
            "CalotypeHTTPListener", "CalotypePlatform", "CalotypePublish", "CalotypeStore", "CalotypeTestKit",
            "TaskFlow", "TaskFlowTesting",
        ],
        path: "Tests/ScheduleTrials",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "ScheduleTrialsCommand",
        dependencies: ["CalotypePlatform", "ScheduleTrials", "TaskFlowTesting"],
        path: "Tests/ScheduleTrialsCommand",
        swiftSettings: strict
    ),
    // Damage and crowds for the codec, for the soak.
    .target(
        name: "CodecTrials",
        dependencies: [
            "CalotypeCodec", "CalotypeCore", "CalotypePlatform", "CalotypeSamplePictures", "TaskFlow",
        ],
        path: "Tests/CodecTrials",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "CodecTrialsCommand",
        dependencies: ["CalotypeCodec", "CalotypePlatform", "CodecTrials"],
        path: "Tests/CodecTrialsCommand",
        swiftSettings: strict
    ),
]

let suites: [Target] = [
    tests("TaskFlow", ["TaskFlowTesting"]),
    tests("TaskFlowTesting", ["TaskFlow"]),
    tests("CalotypeFiles", ["TaskFlow"]),
    tests("CalotypeHTTPMessages"),
    tests("CalotypeDigests"),
    tests("CalotypeArchives"),
    tests("CalotypeCore"),
    tests(
        "CalotypeHTTP",
        [
            "CScriptedNames", "CalotypeCore", "CalotypeFiles", "CalotypeHTTPMessages", "CalotypeTestKit",
            "TaskFlow",
        ]
    ),
    tests(
        "CalotypeCodec",
        ["CEscapes", "CalotypeCore", "CalotypeFiles", "CalotypeTestKit", "DecodeWorker", "TaskFlow"]
    ),
    tests("ScheduleTrials", ["Calotype", "CalotypeHTTP", "CalotypeTestKit", "TaskFlowTesting"]),
    tests("CalotypeSQLite"),
    tests(
        "CalotypeStore",
        [
            "CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypeSQLite", "CalotypeSamplePictures",
            "CalotypeTestKit", "StoreTrials", "TaskFlow",
        ]
    ),
    tests("CalotypeSamplePictures", ["CalotypeCodec", "CalotypeCore"]),
    tests(
        "CalotypeOrigin",
        [
            "CalotypeCodec", "CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypeTestKit",
            "TaskFlow",
        ]
    ),
    tests(
        "CalotypeTestKit",
        [
            "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeFiles", "CalotypeHTTP", "CalotypeOrigin",
            "TaskFlow",
        ]
    ),
    tests("CalotypeCommandLineKit", ["CalotypeFiles"]),
    tests(
        "Calotype",
        [
            "CalotypeCodec", "CalotypeCore", "CalotypeFiles", "CalotypeHTTP", "CalotypeHTTPMessages",
            "CalotypeOrigin", "CalotypeSamplePictures", "CalotypeStore", "CalotypeTestKit", "TaskFlow",
            "TaskFlowTesting",
        ]
    ),
    tests(
        "CalotypeBulk",
        [
            "Calotype", "CalotypeCore", "CalotypeFiles", "CalotypeHTTP", "CalotypeOrigin", "CalotypeTestKit",
            "TaskFlow",
        ]
    ),
    tests("CalotypeFoundation", ["Calotype", "CalotypeTestKit"]),
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
            "Calotype", "CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypeHTTP", "CalotypeOrigin",
            "CalotypeSQLite", "CalotypeTestKit", "TaskFlow",
        ]
    ),
    tests(
        "CalotypeHTTPListener",
        [
            "CalotypeCMicroHTTPD", "CalotypeCore", "CalotypeFiles", "CalotypeHTTP", "CalotypeTestKit",
            "TaskFlow",
        ]
    ),
    tests(
        "CalotypeServer",
        [
            "Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeDigests", "CalotypeFiles", "CalotypeHTTP",
            "CalotypeHTTPListener", "CalotypeOrigin", "CalotypeStore", "CalotypeTestKit", "TaskFlow",
        ]
    ),
    tests(
        "CalotypeServerSettings",
        [
            "Calotype", "CalotypeCodec", "CalotypeCommandLineKit", "CalotypeCore", "CalotypeFiles",
            "CalotypeHTTP", "CalotypeHTTPListener", "CalotypeHTTPMessages", "CalotypeServer",
            "CalotypeStore", "CalotypeTestKit", "TaskFlow",
        ]
    ),
    tests(
        "CalotypeApp",
        [
            "Calotype", "CalotypeBulk", "CalotypeCatalog", "CalotypeCommandLineKit", "CalotypeCore",
            "CalotypeFiles", "CalotypeHTTP", "CalotypeHTTPListener", "CalotypeOrigin", "CalotypePublish",
            "CalotypeServer", "CalotypeServerSettings", "CalotypeStore", "CalotypeTestKit", "TaskFlow",
        ]
    ),
    tests(
        "CalotypeTerminal",
        [
            "Calotype", "CalotypeCatalog", "CalotypeCore", "CalotypeTestKit", "CalotypeCommandLineKit",
            "CalotypeSamplePictures", "TaskFlow",
        ]
    ),
    // The Swift code of the documentation.
    .testTarget(
        name: "DocumentationTests",
        dependencies: [
            "Calotype", "CalotypeCatalog", "CalotypeCodec", "CalotypeCore", "CalotypeFoundation",
            "CalotypeHTTP", "CalotypeHTTPListener", "CalotypeHTTPMessages", "CalotypePlatform",
            "CalotypePublish", "CalotypeServer", "CalotypeStore", "CalotypeTestKit", "TaskFlow",
            "TaskFlowTesting",
        ],
        swiftSettings: strict
    ),
]

let package = Package(
    name: "calotype",
    platforms: [.macOS(.v26)],
    products: [
        .library(
            name: "Calotype",
            targets: ["Calotype", "CalotypeCodec", "CalotypeCore", "CalotypeHTTP", "CalotypeStore"]
        ),
        .library(name: "CalotypeCatalog", targets: ["CalotypeCatalog"]),
        .library(name: "CalotypeFoundation", targets: ["CalotypeFoundation"]),
        .library(name: "CalotypePublish", targets: ["CalotypePublish"]),
        .library(
            name: "CalotypeServer",
            targets: ["CalotypeServer", "CalotypeCore", "CalotypeHTTPListener", "CalotypeHTTPMessages"]
        ),
        .library(name: "TaskFlow", targets: ["TaskFlow"]),
        .library(name: "TaskFlowTesting", targets: ["TaskFlowTesting"]),
        .library(
            name: "CalotypeTestKit",
            targets: [
                "CalotypeTestKit", "CalotypeOrigin", "CalotypeCodec", "CalotypeHTTP",
                "CalotypeSamplePictures",
            ]
        ),
        .executable(name: "calotype", targets: ["CalotypeCommand"]),
    ],
    traits: [
        .trait(name: "Archives", description: "Zip files, through libarchive."),
        .trait(name: "Libvips", description: "Formats other than JPEG, PNG and WebP, through libvips."),
        .trait(name: "TerminalPictures", description: "Pictures in terminals, through libchafa."),
        .default(enabledTraits: ["Archives", "Libvips", "TerminalPictures"]),
    ],
    targets: libraries + foundations + engine + faces + command + testing + trials + suites,
    swiftLanguageModes: [.v6]
)

// One part alone builds faster: `CALOTYPE_PARTS=TaskFlow,CalotypeStore` leaves the tests of all others out. With a main
// program for tests, SwiftPM does not look for tests of XCTest, of which there are none, and needs no index.
if let parts = Context.environment["CALOTYPE_PARTS"]?.split(separator: ",") {
    package.targets.removeAll { $0.type == .test && !parts.contains($0.name.dropLast("Tests".count)) }
    package.targets.append(.testTarget(name: "TestProgram", path: "Tests/TestProgram/Target"))
    // What touches each pixel is optimized, as half of the tests' time would go there otherwise. Assertions remain.
    for target in package.targets {
        switch target.name {
        case "CalotypeCPictures": target.cSettings?.append(.unsafeFlags(["-O2"]))
        case "CalotypeCodec", "CalotypeSamplePictures":
            target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"]))
        // An optimized module's interface is emitted before it is optimized, so that no other module waits for that. All others
        // emit it at the end, because their source is then read only once.
        default: target.swiftSettings?.append(.unsafeFlags(["-no-emit-module-separately-wmo"]))
        }
    }
}
