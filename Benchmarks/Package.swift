// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "calotype", path: "..")],
    targets: [
        .executableTarget(
            name: "cancel",
            dependencies: [
                .product(name: "Calotype", package: "calotype"),
                .product(name: "CalotypeTestKit", package: "calotype"),
            ]
        ),
        .executableTarget(
            name: "codec",
            dependencies: [.product(name: "Calotype", package: "calotype")],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
        ),
        .executableTarget(
            name: "pipeline",
            dependencies: [
                .product(name: "Calotype", package: "calotype"),
                .product(name: "CalotypeTestKit", package: "calotype"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
