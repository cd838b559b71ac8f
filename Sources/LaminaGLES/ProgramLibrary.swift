import CGL
import LaminaFramePlan
import LaminaValues
import Shaders

/// The programs, each built when first used, and the layout of their vertices.
struct ProgramLibrary {
  final class Built {
    let name: GLuint
    let vertexArray: GLuint
    private let pixelsToClip: GLint
    private let levelBias: GLint
    private let alpha: GLint
    private var bias: Float?
    private var alphaFactor: Float?
    private var targetSize: PixelSize?
    /// Start of the attributes in the vertex buffer, in floats.
    private var base: Int?
    private let vertex: VertexLayout
    /// The last frame that drew with it.
    fileprivate var lastFrame = 0

    fileprivate init(_ vertex: VertexLayout, name: GLuint) {
      self.vertex = vertex
      self.name = name
      var array: GLuint = 0
      glGenVertexArrays(1, &array)
      vertexArray = array
      pixelsToClip = glGetUniformLocation(name, "pixelsToClip")
      levelBias = glGetUniformLocation(name, "levelBias")
      alpha = glGetUniformLocation(name, "alpha")
    }

    /// The program must be in use.
    func setTarget(_ size: PixelSize) {
      guard targetSize != size else { return }
      targetSize = size
      glUniform2f(pixelsToClip, 2 / Float(size.width), 2 / Float(size.height))
    }

    /// Sets the bias that a mipmapped program adds to the level it reads. The program must be in
    /// use.
    func setLevelBias(_ wanted: Float) {
      guard bias != wanted else { return }
      bias = wanted
      glUniform1f(levelBias, wanted)
    }

    /// Sets the factor of alpha of a program whose tint is put in by blending. The program must be
    /// in use.
    func setAlphaFactor(_ wanted: Float) {
      guard alphaFactor != wanted else { return }
      alphaFactor = wanted
      glUniform1f(alpha, wanted)
    }

    /// Points the bound vertex array's attributes at the bound vertex buffer so that a vertex
    /// starts at `firstFloat`, and returns the index of that vertex. Batches whose starts are a
    /// whole number of vertices apart share the attributes, which are not set again.
    func pointAttributes(at firstFloat: Int) -> Int {
      let perVertex = vertex.floatCount
      let base = firstFloat % perVertex
      if base != self.base {
        self.base = base
        let size = MemoryLayout<Float>.size
        var offset = base
        for (location, count) in vertex.attributes {
          glEnableVertexAttribArray(GLuint(location))
          glVertexAttribPointer(
            GLuint(location), GLint(count), GLenum(GL_FLOAT), GLboolean(GL_FALSE),
            GLsizei(perVertex * size), UnsafeRawPointer(bitPattern: offset * size))
          offset += count
        }
      }
      return firstFloat / perVertex
    }
  }

  private struct Key: Hashable {
    var vertex: VertexLayout
    /// The blend formula, if the program has one.
    var mode: BlendMode?
    var form = Form.general
  }

  /// Which of llvmpipe's two rasterizers draw a program: see `RasterizerChoice.swift`.
  private enum Form {
    /// The general one, which draws everything.
    case general
    /// Either. Then they must draw the same.
    case either
    /// Either, of an image that blending multiplies by its colour: see `DrawState`.
    case tintedByBlending
    /// The general one, because the result is clamped.
    case clamped

    var macros: [String] {
      switch self {
      case .general: []
      case .either: ["EITHER"]
      case .tintedByBlending: ["EITHER", "ALPHA_ONLY"]
      case .clamped: ["CLAMPED"]
      }
    }
  }

  private var programs: [Key: Built] = [:]
  private var frame = 0
  /// Whether texels that are fetched outside of a texture are zero.
  var fetchesZeroOutside = false
  /// Where linked programs are kept for other processes, if they are.
  var store: ProgramStore?
  /// Number of programs that were taken from there.
  private(set) var storedCount = 0

  var count: Int { programs.count }

  /// Begins a frame. If there are more than `limit` programs, deletes those that the last frame did
  /// not use, the ones used longest ago first, until so many are left.
  mutating func beginFrame(keeping limit: Int) {
    if programs.count > limit {
      let idle = programs.filter { $0.value.lastFrame < frame }
        .sorted { $0.value.lastFrame < $1.value.lastFrame }
      for (key, built) in idle.prefix(programs.count - limit) {
        var array = built.vertexArray
        glDeleteVertexArrays(1, &array)
        glDeleteProgram(built.name)
        programs[key] = nil
      }
    }
    frame += 1
  }

  /// Returns the program, which is built if it is new. Building one changes the program in use.
  ///
  /// If `isAlike`, llvmpipe's two rasterizers draw the same. Otherwise the program has a form that
  /// leaves no choice between them. 8-bit targets clamp anyway. A layer of an array is sampled at a
  /// place that is computed, which is such a form.
  mutating func program(
    _ vertex: VertexLayout, _ blend: FramePlan.Blend, on format: PixelFormat, isAlike: Bool,
    isTintedByBlending: Bool = false
  ) throws(ExecutorError) -> Built {
    let program = vertex.program
    var key = Key(vertex: vertex)
    if format == .bgra8, program.mayBeLinear, !vertex.samplesArray {
      key.form = !isAlike ? .clamped : isTintedByBlending ? .tintedByBlending : .either
    }
    if case .formula(let mode) = blend { key.mode = mode }
    if let built = programs[key] {
      built.lastFrame = frame
      return built
    }
    let outside = fetchesZeroOutside && program.hasKernel ? "ZERO_OUTSIDE" : nil
    let macros = [key.mode?.macro ?? program.macro, outside].compactMap(\.self) + key.form.macros
    let built = Built(vertex, name: try link(vertex, vertex.macros + macros))
    built.lastFrame = frame
    programs[key] = built
    return built
  }

  private mutating func link(
    _ layout: VertexLayout, _ macros: [String]
  ) throws(ExecutorError) -> GLuint {
    let (program, files) = (layout.program, layout.shaderFiles)
    guard
      let vertex = ShaderSource.vertex(files.vertex, replacing: files.replaced, macros: macros),
      let fragment = ShaderSource.fragment(
        files.fragment, replacing: files.replaced, macros: macros)
    else {
      throw .program(name: "\(program)", log: "its source is missing")
    }
    let linked = glCreateProgram()
    if store?.load(linked, vertex: vertex, fragment: fragment) == true {
      storedCount += 1
    } else {
      store?.prepare(linked)
      do throws(ExecutorError) {
        try Self.link(linked, vertex: vertex, fragment: fragment, program)
      } catch {
        glDeleteProgram(linked)
        throw error
      }
      store?.save(linked, vertex: vertex, fragment: fragment)
    }
    glUseProgram(linked)
    for (unit, sampler) in ["source", "mask"].enumerated() {
      let location = glGetUniformLocation(linked, sampler)
      if location >= 0 { glUniform1i(location, GLint(unit)) }
    }
    return linked
  }

  private static func link(
    _ linked: GLuint, vertex: String, fragment: String, _ program: FramePlan.Program
  ) throws(ExecutorError) {
    for (stage, source) in [(GL_VERTEX_SHADER, vertex), (GL_FRAGMENT_SHADER, fragment)] {
      let shader = try compile(stage, source, program)
      glAttachShader(linked, shader)
      glDeleteShader(shader)
    }
    glLinkProgram(linked)
    var status: GLint = 0
    glGetProgramiv(linked, GLenum(GL_LINK_STATUS), &status)
    guard status == GL_TRUE else {
      throw .program(
        name: "\(program)", log: log { glGetProgramInfoLog(linked, $0, nil, $1) })
    }
  }

  private static func compile(
    _ stage: Int32, _ source: String, _ program: FramePlan.Program
  ) throws(ExecutorError) -> GLuint {
    let shader = glCreateShader(GLenum(stage))
    source.withCString { text in
      var text: UnsafePointer<GLchar>? = text
      glShaderSource(shader, 1, &text, nil)
    }
    glCompileShader(shader)
    var status: GLint = 0
    glGetShaderiv(shader, GLenum(GL_COMPILE_STATUS), &status)
    guard status == GL_TRUE else {
      defer { glDeleteShader(shader) }
      throw .program(
        name: "\(program)", log: log { glGetShaderInfoLog(shader, $0, nil, $1) })
    }
    return shader
  }

  private static func log(_ read: (GLsizei, UnsafeMutablePointer<GLchar>) -> Void) -> String {
    var text = [GLchar](repeating: 0, count: 2048)
    read(GLsizei(text.count), &text)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension VertexLayout {
  fileprivate var macros: [String] {
    (hasNoColor ? ["WHITE"] : []) + (fillsLayer ? ["FILLED"] : [])
      + (taps.map { ["TAPS \($0)"] } ?? [])
      + (isAffine ? ["AFFINE"] : []) + (isUpright ? ["UPRIGHT"] : [])
      + (hasEvenOutlines ? ["EVEN", "RADII float"] : ["RADII vec4"])
  }

  /// Names of the files in Shaders/Programs, and replacements for some of the files that they
  /// include.
  var shaderFiles: (vertex: String, fragment: String, replaced: [String: String]) {
    var files = program.shaderFiles
    if samplesArray {
      files.replaced["source"] = isShifted ? "shiftedSource" : "arraySource"
      files.replaced["sourceLayer"] = "arrayLayer"
    }
    return files
  }
}

extension FramePlan.Program {
  /// Those of the program for a texture of its own. Coverage is drawn as an image with one channel.
  fileprivate var shaderFiles: (vertex: String, fragment: String, replaced: [String: String]) {
    let (vertex, fragment) =
      switch self {
      case .solid: ("solid", "solid")
      case .solidEdges: ("solidEdges", "solidEdges")
      case .plainImage, .image, .coverage: ("image", "image")
      case .imageEdges, .mipmappedImage: ("imageEdges", "imageEdges")
      case .rounded, .continuous: ("rounded", "rounded")
      case .roundedBorder, .continuousBorder: ("rounded", "roundedBorder")
      case .roundedImage, .continuousImage, .mipmappedRounded, .mipmappedContinuous:
        ("roundedImage", "roundedImage")
      case .radial, .conic, .continuousRadial, .continuousConic: ("radial", "radial")
      case .shadow, .shadowTight, .shadowUneven, .shadowRectangle, .shadowEdge, .shadowCorner:
        ("rounded", "shadow")
      case .group: ("group", "group")
      case .alpha: ("group", "alpha")
      case .groupEdges: ("groupEdges", "groupEdges")
      case .groupRounded, .groupContinuous: ("groupRounded", "groupRounded")
      case .groupMasked: ("groupMasked", "groupMasked")
      case .groupMix: ("groupMasked", "groupMix")
      case .blended: ("groupMasked", "blended")
      case .colorMatrix: ("colorMatrix", "colorMatrix")
      case .gaussian: ("gaussian", "gaussian")
      case .halved, .quartered: ("gaussian", "halved")
      case .doubled: ("gaussian", "doubled")
      case .doubledDown, .quadrupledDown: ("gaussian", "doubledDown")
      }
    var replaced: [String: String] = [:]
    if hasContinuousCorners { replaced["corners"] = "continuousCorners" }
    if isMipmapped { replaced["source"] = "mipmappedSource" }
    return (vertex, fragment, replaced)
  }

  /// Whether llvmpipe may draw the program by its linear rasterizer.
  fileprivate var mayBeLinear: Bool {
    switch self {
    case .solid, .image, .plainImage, .coverage: true
    default: false
    }
  }

  /// The macro that distinguishes the program from others with the same files.
  fileprivate var macro: String? {
    switch basic {
    case .conic: "CONIC"
    case .quadrupledDown: "FOURFOLD"
    case .quartered: "QUARTERED"
    case .shadow: "ALIKE"
    case .shadowTight: "TIGHT"
    case .shadowRectangle: "RECTANGLE"
    case .shadowEdge: "STRAIGHT"
    case .shadowCorner: "CORNER"
    default: nil
    }
  }
}

extension BlendMode {
  /// The macro that selects the formula in `blended`.
  fileprivate var macro: String {
    func factors(_ source: Int, _ whereTarget: Int, _ target: Int) -> String {
      "PORTER_DUFF vec3(\(source), \(whereTarget), \(target))"
    }
    return switch self {
    case .clear: factors(0, 0, 0)
    case .copy: factors(1, 0, 0)
    case .sourceIn: factors(0, 1, 0)
    case .sourceOut: factors(1, -1, 0)
    case .destinationIn: factors(0, 0, 1)
    case .destinationAtop: factors(1, -1, 1)
    case .plusDarker: "PLUS_DARKER"
    case .colorDodge: "COLOR_DODGE"
    case .colorBurn: "COLOR_BURN"
    case .hardLight: "HARD_LIGHT"
    case .softLight: "SOFT_LIGHT"
    case .linearLight: "LINEAR_LIGHT"
    case .pinLight: "PIN_LIGHT"
    case .subtract: "SUBTRACT"
    case .divide: "DIVIDE"
    default: rawValue.uppercased()
    }
  }
}
