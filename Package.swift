// swift-tools-version: 6.0
import PackageDescription

// The Makefile sets the variable: the package's own builds have the server as a product, and would
// compile it once more for the plugin, even if no target used it.
let hasPlugin = Context.environment["LAMINA_WITHOUT_PLUGIN"] == nil
let serverPlugin: [Target.PluginUsage] = hasPlugin ? ["LaminaRenderServerPlugin"] : []

// The last column of the table of modules in the article Architecture, is what each target may
// import. `make lint` compares that column with the `import` lines.
let package = Package(
  name: "Lamina",
  products: [
    .library(name: "Lamina", targets: ["Lamina", "LaminaCAML"]),
    .library(name: "LaminaInProcess", targets: ["LaminaInProcess"]),
    .library(name: "LaminaVideo", targets: ["LaminaVideo"]),
    .library(name: "LaminaSnapshotTesting", targets: ["LaminaSnapshotTesting"]),
    .library(name: "LaminaInspector", targets: ["LaminaInspector"]),
    // For sources written for Apple's systems, which import these names.
    .library(name: "QuartzCore", targets: ["QuartzCore"]),
    .library(name: "CoreGraphics", targets: ["CoreGraphics", "_Testing_CoreGraphics"]),
    .library(name: "CoreText", targets: ["CoreText"]),
    .library(name: "ImageIO", targets: ["ImageIO"]),
    .executable(name: "lamina", targets: ["LaminaTool"]),
    .executable(name: "lamina-render-server", targets: ["lamina-render-server"]),
    // For this package's own tests, whose programs load it before other libraries.
    .library(name: "FailingCalls", type: .dynamic, targets: ["FailingCalls"]),
  ],
  targets: [
    // C libraries.
    .target(name: "CLinux"),
    .target(name: "CSpans"),
    // These link no library: they open Cairo, Pango, GLib, EGL, GLES, GBM and FFmpeg's at run time.
    .target(name: "CCairo", dependencies: ["CLinux"]),
    .target(name: "CPango", dependencies: ["CLinux"]),
    .target(name: "CGLib", dependencies: ["CLinux"]),
    .target(name: "CGL", dependencies: ["CLinux"]),
    .target(name: "CFFmpeg", dependencies: ["CLinux"]),
    .systemLibrary(
      name: "CImages", pkgConfig: "libpng",
      providers: [.apt(["libpng-dev", "libturbojpeg0-dev", "libwebp-dev"])]),
    .systemLibrary(name: "CColor", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),

    // What both processes are made of.
    .target(name: "LaminaValues", dependencies: ["CLinux"]),
    .target(name: "LaminaAnimation", dependencies: ["LaminaValues"]),
    .target(
      name: "LaminaCommit", dependencies: ["LaminaValues", "LaminaAnimation", "CLinux"]),

    // The client.
    .target(
      name: "LaminaGraphics",
      dependencies: ["LaminaValues", "CCairo", "CPango", "CImages", "CColor"]),
    .target(
      name: "Lamina",
      dependencies: ["LaminaGraphics", "LaminaCommit", "LaminaAnimation", "LaminaValues", "CGL"],
      plugins: serverPlugin),
    .target(name: "LaminaCAML", dependencies: ["Lamina"]),
    .target(
      name: "LaminaVideo",
      dependencies: ["Lamina", "LaminaAnimation", "LaminaValues", "CFFmpeg"]),
    .target(name: "LaminaDarwin"),
    .target(name: "QuartzCore", dependencies: ["Lamina", "LaminaDarwin"]),
    .target(
      name: "CoreGraphics", dependencies: ["LaminaGraphics", "LaminaValues", "LaminaDarwin"]),
    .target(name: "CoreText", dependencies: ["LaminaGraphics", "LaminaValues", "LaminaDarwin"]),
    .target(name: "ImageIO", dependencies: ["LaminaGraphics", "LaminaValues", "LaminaDarwin"]),
    .target(name: "_Testing_CoreGraphics"),

    // The render process.
    .target(
      name: "LaminaRenderTree", dependencies: ["LaminaCommit", "LaminaAnimation", "LaminaValues"]),
    .target(name: "LaminaFramePlan", dependencies: ["LaminaValues"]),
    .target(
      name: "LaminaPlanner",
      dependencies: [
        "LaminaRenderTree", "LaminaFramePlan", "LaminaCommit", "LaminaAnimation", "LaminaValues",
        "CCairo",
      ]),
    .target(
      name: "LaminaGLES", dependencies: ["LaminaFramePlan", "LaminaValues", "Shaders", "CGL"]),
    .target(name: "LaminaSoftware", dependencies: ["LaminaFramePlan", "LaminaValues", "CSpans"]),
    .target(
      name: "LaminaRenderServer",
      dependencies: [
        "LaminaGLES", "LaminaSoftware", "LaminaPlanner", "LaminaFramePlan", "LaminaRenderTree",
        "LaminaCommit", "LaminaValues", "CLinux",
      ]),
    .executableTarget(name: "lamina-render-server", dependencies: ["LaminaRenderServer"]),
    // Has SwiftPM build the server beside every program that has Lamina, which links none of it.
    .plugin(
      name: "LaminaRenderServerPlugin", capability: .buildTool(),
      dependencies: ["lamina-render-server"], path: "Sources/LaminaRenderServerPlugin"),
    .target(
      name: "Shaders", path: "Shaders",
      resources: [.embedInCode("Programs")]),

    // Both in one process, and the command line.
    .target(name: "LaminaInProcess", dependencies: ["Lamina", "LaminaRenderServer"]),
    .target(
      name: "LaminaSnapshotTesting", dependencies: ["Lamina", "LaminaCAML"]),
    .target(
      name: "LaminaInspector", dependencies: ["Lamina"], exclude: ["README.md", "Pictures"],
      resources: [.embedInCode("Page")]),
    .executableTarget(
      name: "LaminaTool",
      dependencies: [
        "Lamina", "LaminaCAML", "LaminaVideo", "LaminaInProcess", "LaminaInspector", "LaminaValues",
        "CGLib",
      ],
      resources: [.embedInCode("ReportPage")]),
    // Draws the scenes for Tests/GBM/compare-platforms.
    .executableTarget(
      name: "draw-scenes", dependencies: ["Lamina", "LaminaCAML", "LaminaCommit"],
      path: "Tests/GBM/DrawScenes"),
    // Draws pictures in dma-bufs for Tests/GBM/compare-dma-bufs.
    .executableTarget(
      name: "draw-dma-bufs", dependencies: ["Lamina", "LaminaCommit", "CGL"],
      path: "Tests/GBM/DrawDMABufs"),
    // OpenGL ES for a program that links it, as apps do that draw with it.
    .systemLibrary(
      name: "GLESv2", path: "Tests/GLESv2", providers: [.apt(["libgles-dev"])]),
    // A layer that draws with OpenGL ES.
    .target(name: "TurningCube", dependencies: ["Lamina", "GLESv2"], path: "Tests/TurningCube"),
    // Says from measured runs how far a farm goes.
    .executableTarget(name: "farm-model", path: "Tests/Slurm/Model"),
    // Makes mistakes, for `make test-mistakes`.
    .executableTarget(
      name: "mistakes", dependencies: ["Lamina", "LaminaInProcess"], path: "Tests/Mistakes"),
    // What several test targets share. TestSupport knows no layers; LayerSupport
    // has those of the model tree, TreeSupport those of the render tree.
    .target(name: "TestSupport", dependencies: ["LaminaValues"], path: "Tests/Support"),
    .target(
      name: "LayerSupport", dependencies: ["Lamina", "TestSupport"], path: "Tests/LayerSupport"),
    .target(
      name: "TreeSupport",
      dependencies: [
        "LaminaPlanner", "LaminaFramePlan", "LaminaRenderTree", "LaminaCommit", "LaminaAnimation",
        "LaminaValues",
      ], path: "Tests/TreeSupport"),
    .target(
      name: "ServerSupport",
      dependencies: [
        "LaminaRenderServer", "LaminaSoftware", "LaminaFramePlan", "LaminaCommit",
        "LaminaAnimation", "LaminaValues", "TestSupport",
      ], path: "Tests/ServerSupport"),
    .testTarget(
      name: "LaminaTests",
      dependencies: [
        "Lamina", "LaminaInProcess", "LaminaRenderServer", "LaminaGLES", "LaminaFramePlan",
        "LaminaRenderTree", "LaminaCommit", "LaminaAnimation", "LaminaGraphics", "LaminaValues",
        "faulty-server", "TestSupport", "LayerSupport", "ServerSupport",
      ]),
    .testTarget(
      name: "LaminaRenderTreeTests",
      dependencies: ["LaminaRenderTree", "LaminaPlanner", "TestSupport", "TreeSupport"]),
    .testTarget(
      name: "LaminaPlannerTests",
      dependencies: [
        "LaminaPlanner", "LaminaGLES", "LaminaSoftware", "TestSupport", "TreeSupport",
      ]),
    .testTarget(
      name: "LaminaGLESTests",
      dependencies: ["LaminaGLES", "LaminaFramePlan", "LaminaValues", "Shaders", "TestSupport"]),
    .testTarget(
      name: "LaminaSoftwareTests",
      dependencies: [
        "LaminaSoftware", "LaminaGLES", "LaminaFramePlan", "LaminaValues", "TestSupport",
      ]),
    .testTarget(
      name: "LaminaAnimationTests",
      dependencies: ["LaminaAnimation", "LaminaValues", "TestSupport"]),
    .testTarget(
      name: "LaminaCommitTests",
      dependencies: ["LaminaCommit", "LaminaAnimation", "LaminaValues", "TestSupport"]),
    .testTarget(
      name: "LaminaValuesTests", dependencies: ["LaminaValues", "CLinux", "TestSupport"]),
    .testTarget(
      name: "LaminaPathTests",
      dependencies: ["LaminaCAML", "LaminaGraphics", "LaminaValues", "CCairo", "TestSupport"]),
    .testTarget(
      name: "LaminaGraphicsTests",
      dependencies: ["LaminaGraphics", "LaminaValues", "CImages", "CColor", "TestSupport"]),
    .testTarget(
      name: "LaminaCAMLTests",
      dependencies: [
        "LaminaCAML", "Lamina", "LaminaCommit", "LaminaAnimation", "LaminaInProcess", "TestSupport",
      ]),
    .testTarget(
      name: "LaminaVideoTests",
      dependencies: ["LaminaVideo", "Lamina", "LaminaValues", "TestSupport"]),
    // A render process for LaminaToolTests that ends itself.
    .executableTarget(
      name: "dying-server", dependencies: ["LaminaCommit", "LaminaValues"],
      path: "Tests/LaminaToolTests/DyingServer"),
    .testTarget(
      name: "LaminaToolTests",
      dependencies: [
        "LaminaTool", "LaminaCAML", "Lamina", "drawing-client", "dying-server",
        "lamina-render-server", "LaminaSnapshotTesting", "TestSupport",
      ],
      exclude: ["DyingServer", "__Snapshots__", "Runs"]),
    // Draws in a process of its own, for tests of what becomes of such processes.
    .executableTarget(
      name: "drawing-client", dependencies: ["Lamina", "LaminaCommit", "LaminaValues"],
      path: "Tests/DrawingClient"),
    // Has one system call or GL call of a program fail.
    .target(name: "FailingCalls", path: "Tests/FailingCalls"),
    // A render process for tests that fails where it is told to.
    .executableTarget(
      name: "faulty-server",
      dependencies: ["LaminaRenderServer", "LaminaFramePlan", "LaminaCommit", "LaminaValues"],
      path: "Tests/FaultyServer"),
    .testTarget(
      name: "LaminaRenderServerTests",
      dependencies: [
        "faulty-server", "LaminaRenderServer", "LaminaFramePlan", "LaminaRenderTree",
        "LaminaCommit",
        "LaminaAnimation", "LaminaValues", "lamina-render-server", "TestSupport", "ServerSupport",
      ]),
    .testTarget(
      name: "LaminaSnapshotTestingTests",
      dependencies: ["LaminaSnapshotTesting", "LaminaCAML", "Lamina", "TestSupport"]),
    // The README's first program.
    .executableTarget(
      name: "first-program", dependencies: ["Lamina"], path: "Tests/ArticleTests/FirstProgram"),
    .testTarget(
      name: "ArticleTests",
      dependencies: [
        "Lamina", "LaminaCAML", "LaminaInProcess", "LaminaSnapshotTesting", "LaminaVideo",
        "first-program", "lamina-render-server",
      ],
      exclude: ["FirstProgram", "__Snapshots__"]),
    .testTarget(
      name: "AppleSourceTests",
      dependencies: [
        "QuartzCore", "CoreGraphics", "CoreText", "ImageIO", "_Testing_CoreGraphics",
        "LaminaInProcess",
      ],
      exclude: ["Photos"]),
    .testTarget(
      name: "LaminaSceneTests",
      dependencies: [
        "Lamina", "LaminaCAML", "LaminaGraphics", "LaminaInProcess", "LaminaSnapshotTesting",
        "TestSupport", "LayerSupport", "TurningCube", "GLESv2",
      ],
      exclude: ["__Snapshots__"],
      // The plain compositor there computes every pixel by itself.
      swiftSettings: [.unsafeFlags(["-O"])]),
  ],
  swiftLanguageModes: [.v6]
)

if !hasPlugin { package.targets.removeAll { $0.name == "LaminaRenderServerPlugin" } }

// In debug builds of its own, the modules that compute most are optimized, so that the tests take
// half of the time. A package that others depend on must not ask for flags.
if !hasPlugin, Context.environment["LAMINA_UNOPTIMIZED"] == nil {
  let computing: Set = [
    "LaminaValues", "LaminaAnimation", "LaminaCommit", "LaminaRenderTree", "LaminaFramePlan",
    "LaminaPlanner", "LaminaSoftware",
  ]
  for target in package.targets where computing.contains(target.name) {
    target.swiftSettings = [
      .unsafeFlags(
        ["-O", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug))
    ]
  }
}

// For `make fuzz`: a program whose `main` is libFuzzer's links only where that is asked for.
if Context.environment["LAMINA_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "ServerSupport", "LaminaRenderServer", "LaminaCommit", "Lamina", "LaminaCAML",
        "LaminaValues", "TestSupport",
      ], path: "Tests/Fuzz", swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

// For `make soak`.
if Context.environment["LAMINA_SOAK"] != nil {
  package.targets.append(
    .executableTarget(
      name: "soak",
      dependencies: ["Lamina", "LaminaCommit", "LaminaValues", "LayerSupport", "TestSupport"],
      path: "Tests/Soak"))
}
