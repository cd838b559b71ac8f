// swift-tools-version: 6.0
import PackageDescription

// Independent programs, which depend on nothing but Lamina's product.
let package = Package(
  name: "Consumer",
  dependencies: [.package(name: "Lamina", path: "../..")],
  targets: [
    .executableTarget(
      name: "consumer", dependencies: [.product(name: "Lamina", package: "Lamina")],
      path: "Sources"),
    // A part of its source is written by `.ci/open-members`.
    .executableTarget(
      name: "overrides", dependencies: [.product(name: "Lamina", package: "Lamina")],
      path: "Overrides"),
  ],
  swiftLanguageModes: [.v6]
)
