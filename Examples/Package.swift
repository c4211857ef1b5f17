// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(), .treatAllWarnings(as: .error), .treatWarning("ExplicitSendable", as: .error),
]

let calotype: [Target.Dependency] = ["Calotype", "CalotypeServer", "TaskFlow", "CalotypeTestKit"].map {
    .product(name: $0, package: "calotype")
}

func example(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: ["ExampleKit"] + calotype, swiftSettings: strict)
}

let package = Package(
    name: "examples",
    dependencies: [.package(name: "calotype", path: "..")],
    targets: [
        // The code that all examples share: an origin in the same process, a table, an exit code.
        .target(name: "ExampleKit", dependencies: calotype, swiftSettings: strict),
        // Without the settings above, as in most packages.
        .executableTarget(name: "OwnTransport", dependencies: calotype),
        example("PhotoSite"),
        example("RandomPhoto"),
        example("ReceiveUpload"),
        example("Robot"),
        example("SaveWorkout"),
        example("TaskKinds"),
        example("Thumbnails"),
        example("UserPage"),
    ],
    swiftLanguageModes: [.v6]
)
