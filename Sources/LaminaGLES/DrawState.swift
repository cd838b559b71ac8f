import CGL
import LaminaFramePlan
import LaminaValues

/// The context's drawing state, and the objects that are always bound. Values that are already set
/// are not set again: on llvmpipe a draw after any change of fragment state costs 8 µs, a repeated
/// one 0.3.
struct DrawState {
  private let vertexBuffer: GLuint
  private let nearest: GLuint
  private let linear: GLuint
  private let trilinear: GLuint

  private var program: GLuint?
  private var vertexArray: GLuint?
  private var blend: (blend: FramePlan.Blend, isTinted: Bool)?
  private var tint: UInt32?
  private var scissor: PixelRect?
  private var textures: [GLuint?] = [nil, nil]
  private var filters: [FramePlan.TextureSource.Filter?] = [nil, nil]

  /// Creates the objects in the current context.
  init() {
    var buffer: GLuint = 0
    glGenBuffers(1, &buffer)
    vertexBuffer = buffer
    nearest = DrawState.sampler(GL_NEAREST, GL_NEAREST)
    linear = DrawState.sampler(GL_LINEAR, GL_LINEAR)
    trilinear = DrawState.sampler(GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR)
    glDisable(GLenum(GL_DITHER))
    glDisable(GLenum(GL_CULL_FACE))
    glDisable(GLenum(GL_DEPTH_TEST))
    glEnable(GLenum(GL_SCISSOR_TEST))
    glPixelStorei(GLenum(GL_UNPACK_ALIGNMENT), 1)
    glPixelStorei(GLenum(GL_PACK_ALIGNMENT), 1)
  }

  /// Forgets the recorded state. Call after GL calls that bypassed this type.
  mutating func forget() {
    (program, vertexArray, blend, tint, scissor) = (nil, nil, nil, nil, nil)
    textures = [nil, nil]
    filters = [nil, nil]
  }

  /// Uploads the vertices of the passes to come.
  func stream(_ vertices: UnsafeRawBufferPointer) {
    glBindBuffer(GLenum(GL_ARRAY_BUFFER), vertexBuffer)
    glBufferData(
      GLenum(GL_ARRAY_BUFFER), vertices.count, vertices.baseAddress, GLenum(GL_STREAM_DRAW))
  }

  /// `rect` must lie within the target.
  mutating func use(scissor rect: PixelRect) {
    guard scissor != rect else { return }
    scissor = rect
    glScissor(GLint(rect.minX), GLint(rect.minY), GLsizei(rect.width), GLsizei(rect.height))
  }

  mutating func use(_ built: ProgramLibrary.Built) {
    if vertexArray != built.vertexArray {
      vertexArray = built.vertexArray
      glBindVertexArray(built.vertexArray)
    }
    guard program != built.name else { return }
    program = built.name
    glUseProgram(built.name)
  }

  /// If there is a tint, what is drawn, which has its alpha, is multiplied by its red, green and
  /// blue.
  mutating func use(_ wanted: FramePlan.Blend, tint wantedTint: UInt32? = nil) {
    if let wantedTint, wantedTint != tint {
      tint = wantedTint
      let color = ItemColor.components(of: wantedTint)
      glBlendColor(color.x, color.y, color.z, color.w)
    }
    guard blend.map({ $0 == (wanted, wantedTint != nil) }) != true else { return }
    blend = (wanted, wantedTint != nil)
    guard let factors = wanted.factors else { return glDisable(GLenum(GL_BLEND)) }
    glEnable(GLenum(GL_BLEND))
    glBlendFuncSeparate(
      GLenum(wantedTint == nil ? factors.source : GL_CONSTANT_COLOR), GLenum(factors.target),
      GLenum(factors.alpha), GLenum(factors.targetAlpha))
  }

  /// `isArray` tells whether it is an array texture, which a program with layers samples.
  mutating func use(
    texture: GLuint, isArray: Bool, filter: FramePlan.TextureSource.Filter, unit: Int
  ) {
    if textures[unit] != texture {
      textures[unit] = texture
      glActiveTexture(GLenum(GL_TEXTURE0) + GLenum(unit))
      glBindTexture(GLenum(isArray ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D), texture)
    }
    if filters[unit] != filter {
      filters[unit] = filter
      glBindSampler(GLuint(unit), sampler(filter))
    }
  }

  private func sampler(_ filter: FramePlan.TextureSource.Filter) -> GLuint {
    switch filter {
    case .nearest: nearest
    case .linear: linear
    case .trilinear: trilinear
    }
  }

  private static func sampler(_ smaller: Int32, _ larger: Int32) -> GLuint {
    var sampler: GLuint = 0
    glGenSamplers(1, &sampler)
    for (name, value) in [
      (GL_TEXTURE_MIN_FILTER, smaller), (GL_TEXTURE_MAG_FILTER, larger),
      (GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE), (GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE),
    ] {
      glSamplerParameteri(sampler, GLenum(name), value)
    }
    return sampler
  }
}

extension FramePlan.Blend {
  /// The factors by which source and target are multiplied before they are added, for colour and
  /// for alpha; nil if nothing of the target remains.
  fileprivate var factors: (source: Int32, target: Int32, alpha: Int32, targetAlpha: Int32)? {
    let (rest, open) = (GL_ONE_MINUS_SRC_ALPHA, GL_ONE_MINUS_DST_ALPHA)
    return switch self {
    case .copy, .formula: nil
    case .sourceOver: (GL_ONE, rest, GL_ONE, rest)
    case .plus: (GL_ONE, GL_ONE, GL_ONE, GL_ONE)
    case .screen: (GL_ONE, GL_ONE_MINUS_SRC_COLOR, GL_ONE, rest)
    case .multiply: (GL_DST_COLOR, rest, GL_ZERO, GL_ONE)
    case .fill: (open, GL_ONE, GL_ONE, rest)
    case .sourceAtop: (GL_DST_ALPHA, rest, GL_DST_ALPHA, rest)
    case .destinationOver: (open, GL_ONE, open, GL_ONE)
    case .destinationOut: (GL_ZERO, rest, GL_ZERO, rest)
    case .xor: (open, rest, open, rest)
    }
  }
}
