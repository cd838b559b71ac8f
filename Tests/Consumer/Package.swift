// swift-tools-version: 6.0
import PackageDescription

let lamina = Target.Dependency.product(name: "Lamina", package: "Lamina")

// Independent programs and tests, which depend on nothing but Lamina's products.
let package = Package(
  name: "Consumer",
  dependencies: [.package(name: "Lamina", path: "../..")],
  targets: [
    .executableTarget(name: "consumer", dependencies: [lamina], path: "Sources"),
    // A part of its source is written by `.ci/open-members`.
    .executableTarget(name: "overrides", dependencies: [lamina], path: "Overrides"),
    // Layers, and the tests that hold their pixels.
    .target(name: "Pictures", dependencies: [lamina], path: "Pictures"),
    .testTarget(
      name: "PictureTests",
      dependencies: [
        "Pictures", lamina, .product(name: "LaminaSnapshotTesting", package: "Lamina"),
      ],
      path: "Tests/PictureTests", exclude: ["__Snapshots__"]),
  ],
  swiftLanguageModes: [.v6]
)
