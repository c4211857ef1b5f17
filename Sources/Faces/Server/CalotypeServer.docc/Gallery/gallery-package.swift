// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gallery",
    dependencies: [
        .package(url: "https://example.org/calotype.git", .upToNextMinor(from: "0.1.0"))
    ],
    targets: [
        .executableTarget(
            name: "gallery",
            dependencies: [
                .product(name: "Calotype", package: "calotype"),
                .product(name: "CalotypeServer", package: "calotype"),
            ]
        )
    ]
)
