// swift-tools-version: 6.0
import PackageDescription

// An app of somebody else's, which knows nothing but Lamina's product.
let package = Package(
  name: "Consumer",
  dependencies: [.package(name: "Lamina", path: "../..")],
  targets: [
    .executableTarget(
      name: "consumer", dependencies: [.product(name: "Lamina", package: "Lamina")],
      path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
