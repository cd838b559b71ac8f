// swift-tools-version: 6.0
import PackageDescription

// An independent app, which depends on nothing but Lamina's product.
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
