import Foundation
import Lamina
import Testing

@Suite("Machines without some libraries")
struct LibraryTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private static let libraries = ["libEGL.so.1", "libGLESv2.so.2", "libgbm.so.1"]

  /// Runs lamina where the dynamic linker finds empty files in place of libraries. It takes those
  /// for broken and looks no further, both at a program's start and in `dlopen`.
  private func run(
    _ arguments: [String], without libraries: [String] = libraries,
    environment: [String: String] = [:]
  ) throws -> ToolRun {
    for library in libraries { try Data().write(to: URL(fileURLWithPath: folder.path(library))) }
    let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    let path = ([folder.url.path] + (others.map { [$0] } ?? [])).joined(separator: ":")
    return try ToolRun(
      arguments, environment: environment.merging(["LD_LIBRARY_PATH": path]) { $1 })
  }

  private func square() throws -> String {
    try folder.document("<CALayer bounds=\"0 0 20 10\" backgroundColor=\"1 0 0\"/>")
  }

  @Test(
    "Of what the dynamic linker loads to start a program, nothing is of EGL, GLES or GBM",
    arguments: ["lamina", "lamina-render-server"])
  func loaded(program: String) throws {
    let run = try ToolRun(
      [], environment: ["LD_TRACE_LOADED_OBJECTS": "1"], executable: ToolRun.built(program))
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("libc.so.6"))
    for name in Self.libraries + ["libGLdispatch", "libdrm", "libwayland"] {
      #expect(!run.text.contains(name), "\(run.text)")
    }
  }

  @Test(
    "Nor is anything of Cairo, Pango or GLib, or what comes by them",
    arguments: ["lamina", "lamina-render-server"])
  func loadedToDraw(program: String) throws {
    let run = try ToolRun(
      [], environment: ["LD_TRACE_LOADED_OBJECTS": "1"], executable: ToolRun.built(program))
    #expect(run.status == 0, "\(run.errors)")
    for name in ["libcairo", "libpango", "libglib", "libX11", "libfontconfig", "libfreetype"] {
      #expect(!run.text.contains(name), "\(run.text)")
    }
  }

  @Test(
    "Without Cairo or Pango, layers are drawn, and text says what to install",
    arguments: [("libcairo.so.2", "libcairo2"), ("libpangocairo-1.0.so.0", "libpangocairo-1.0-0")])
  func drawing(library: String, package: String) throws {
    let output = folder.path("x.png")
    let options = ["-o", output, "--platform", "software"]
    let plain = try run(["render", try square()] + options, without: [library])
    #expect(plain.status == 0, "\(plain.errors)")
    #expect(try CGImage(contentsOf: URL(fileURLWithPath: output)).width == 20)
    let text = try folder.document(
      "<CATextLayer bounds=\"0 0 20 10\" string=\"a\" fontSize=\"8\"/>", name: "text.caml")
    let failed = try run(["render", text] + options, without: [library])
    #expect(failed.status != 0)
    #expect(failed.errors.contains("install \(package)\n"), "\(failed.errors)")
  }

  @Test(
    "Platform software draws, in a process of its own or not",
    arguments: [["--platform", "software"], ["--platform", "software", "--in-process"], []])
  func software(options: [String]) throws {
    let environment = options.isEmpty ? ["LAMINA_PLATFORM": "software"] : [:]
    let run = try run(
      ["render", try square(), "-o", folder.path("x.png")] + options, environment: environment)
    #expect(run.status == 0, "\(run.errors)")
    let image = try CGImage(contentsOf: URL(fileURLWithPath: folder.path("x.png")))
    #expect((image.width, image.height) == (20, 10))
    #expect(Array(image.unpremultipliedRGBA[..<4]) == [255, 0, 0, 255])
    let info = try self.run(["info"] + options, environment: environment)
    #expect(info.status == 0, "\(info.errors)")
    #expect(info.text.contains("software"))
  }

  @Test(
    "The other platforms are refused, with the library's name and what can be done",
    arguments: ["auto", "gbm", "device", "surfaceless"], ["libEGL.so.1", "libGLESv2.so.2"])
  func refused(platform: String, library: String) throws {
    for command in [["render", try square(), "-o", folder.path("x.png")], ["info"]] {
      let run = try run(command + ["--platform", platform], without: [library])
      #expect(run.status == 3)
      expectAdvice(run, naming: library)
    }
    #expect(!folder.names.contains("x.png"))
  }

  @Test("Platform gbm is refused without GBM's library")
  func gbm() throws {
    let run = try run(["info", "--platform", "gbm"], without: ["libgbm.so.1"])
    #expect(run.status == 3)
    expectAdvice(run, naming: "libgbm.so.1")
  }

  @Test("EGL without a driver is refused with the same advice")
  func driver() throws {
    let run = try run(
      ["info", "--platform", "surfaceless"], without: [],
      environment: ["__EGL_VENDOR_LIBRARY_DIRS": folder.url.path])
    #expect(run.status == 3)
    expectAdvice(run, naming: "EGL_MESA_platform_surfaceless is missing")
  }

  private func expectAdvice(_ run: ToolRun, naming missing: String) {
    for words in [
      missing, "libegl1", "libgles2", "libegl-mesa0", "libgl1-mesa-dri", "libgbm1",
      "--platform software",
    ] {
      #expect(run.errors.contains(words), "\(run.errors)")
    }
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }
}
