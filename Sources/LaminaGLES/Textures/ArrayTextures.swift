import CGL
import LaminaFramePlan
import LaminaValues

/// A layer of an array texture, with an image at its origin.
struct ArrayLayer {
  /// The array's name.
  var array: GLuint
  var index: Int
  var sizeClass: SizeClass
  var imageSize: PixelSize
  var format: PixelFormat
  /// Where the image also lies in the atlas, if it does.
  var placeInAtlas: ImageAtlas.Place?

  /// The size of the array's layers.
  var size: PixelSize { sizeClass.size }

  /// Whether nothing of the layer is beyond the image.
  var isFilled: Bool { imageSize == size }

  /// The image's size in texture coordinates. It is exact, since layers' sides are powers of two.
  var extent: SIMD2<Double> { SIMD2(imageSize) / SIMD2(size) }

  /// The middle of the image's last pixel in texture coordinates.
  var lastPixel: SIMD2<Double> { (SIMD2(imageSize) - 0.5) / SIMD2(size) }
}

extension SIMD2<Double> {
  fileprivate init(_ size: PixelSize) { self.init(Double(size.width), Double(size.height)) }
}

/// The array textures of small images, a few for each size class and format.
///
/// An image lies at its layer's origin and is sampled within its own pixels. The sampler stays
/// within the layer, and the program within an image that does not fill it. So neither its layer
/// nor what else the array holds changes a pixel that is drawn, and layers move freely when an
/// array grows or shrinks.
struct ArrayTextures {
  private struct Kind: Hashable {
    var sizeClass: SizeClass
    var format: PixelFormat
  }

  private final class Array {
    let kind: Kind
    var name: GLuint = 0
    /// The texture in each layer.
    var owners: [TextureID?] = []
    var count = 0

    init(_ kind: Kind) { self.kind = kind }
  }

  /// llvmpipe draws what it has as soon as a frame's textures take 64 MB, and an array counts
  /// whole. So arrays stay much smaller.
  private static let mostBytes = 8 << 20
  private static let fewestBytes = 64 << 10

  private let isBGRA: Bool
  private let mostLayers: Int
  private var arrays: [Kind: [Array]] = [:]
  private var layers: [TextureID: ArrayLayer] = [:]
  /// Those that lost a layer since `shrink()`.
  private var thinned: [Array] = []
  private let copier = LayerCopier()

  init(isBGRA: Bool, mostLayers: Int) {
    self.isBGRA = isBGRA
    self.mostLayers = mostLayers
  }

  /// The layer of a texture; nil if it has none.
  func layer(of id: TextureID) -> ArrayLayer? { layers[id] }

  func holds(_ id: TextureID, _ size: PixelSize, _ format: PixelFormat) -> Bool {
    guard let layer = layers[id] else { return false }
    return layer.imageSize == size && layer.format == format
  }

  /// Gives a texture a layer, which has no defined pixels.
  ///
  /// Binds array textures to the active unit, and framebuffers.
  mutating func add(
    _ id: TextureID, _ imageSize: PixelSize, _ format: PixelFormat, _ sizeClass: SizeClass
  ) {
    let kind = Kind(sizeClass: sizeClass, format: format)
    let most = capacity(of: kind, bytes: Self.mostBytes)
    // The fullest, so that others become empty.
    var array = arrays[kind]?.filter { $0.count < $0.owners.count }.max { $0.count < $1.count }
    if array == nil, let growing = arrays[kind]?.first(where: { $0.owners.count < most }) {
      resize(growing, to: min(2 * growing.owners.count, most))
      array = growing
    }
    if array == nil {
      let new = Array(kind)
      resize(new, to: capacity(of: kind, bytes: Self.fewestBytes))
      arrays[kind, default: []].append(new)
      array = new
    }
    guard let array, let layer = array.owners.firstIndex(of: nil) else { return }
    array.owners[layer] = id
    array.count += 1
    layers[id] = ArrayLayer(
      array: array.name, index: layer, sizeClass: sizeClass, imageSize: imageSize, format: format)
  }

  mutating func release(_ id: TextureID) {
    guard let layer = layers.removeValue(forKey: id),
      let array = arrays[Kind(sizeClass: layer.sizeClass, format: layer.format)]?
        .first(where: { $0.name == layer.array })
    else { return }
    array.owners[layer.index] = nil
    array.count -= 1
    if thinned.last !== array { thinned.append(array) }
  }

  /// Frees arrays without images, and halves those that are three quarters free.
  ///
  /// Binds array textures to the active unit, and framebuffers.
  mutating func shrink() {
    for array in thinned where array.name != 0 {
      if array.count == 0 {
        glDeleteTextures(1, &array.name)
        array.name = 0
        arrays[array.kind]?.removeAll { $0 === array }
        continue
      }
      let fewest = capacity(of: array.kind, bytes: Self.fewestBytes)
      var wanted = array.owners.count
      while wanted > fewest, array.count <= wanted / 4 { wanted /= 2 }
      if wanted < array.owners.count { resize(array, to: max(wanted, fewest)) }
    }
    thinned.removeAll()
  }

  /// Notes where a texture lies in the atlas, or that it does not.
  mutating func place(_ id: TextureID, inAtlas place: ImageAtlas.Place?) {
    layers[id]?.placeInAtlas = place
  }

  /// Reads a texture's pixels, if it has four bytes for one: rows without gaps, in BGRA.
  ///
  /// Binds framebuffers.
  func pixels(of layer: ArrayLayer) -> [UInt32] {
    copier.read(layer.array, layer: layer.index)
    let size = layer.imageSize
    let count = size.width * size.height
    glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), 0)
    return [UInt32](unsafeUninitializedCapacity: count) { pixels, initialized in
      glReadPixels(
        0, 0, GLsizei(size.width), GLsizei(size.height), GLenum(GL_BGRA_EXT),
        GLenum(GL_UNSIGNED_BYTE), pixels.baseAddress)
      initialized = count
    }
  }

  /// Copies a texture's pixels to a plain texture of the same size and format.
  ///
  /// Binds framebuffers.
  func copy(_ layer: ArrayLayer, to texture: GLuint) {
    copier.read(layer.array, layer: layer.index)
    copier.write(texture)
    copier.copy(layer.imageSize)
  }

  /// Copies a plain texture's pixels to another one of the same size and format.
  ///
  /// Binds framebuffers.
  func copy(_ source: GLuint, _ size: PixelSize, to texture: GLuint) {
    copier.read(source)
    copier.write(texture)
    copier.copy(size)
  }

  private func capacity(of kind: Kind, bytes: Int) -> Int {
    let size = kind.sizeClass.size
    let layer = size.width * size.height * kind.format.bytesPerPixel
    return min(max(bytes / layer, 1), mostLayers)
  }

  /// Moves what an array holds to the first layers of another one.
  private mutating func resize(_ array: Array, to capacity: Int) {
    var old = array.name
    let size = array.kind.sizeClass.size
    let storage = TextureStorage(array.kind.format, isBGRA: isBGRA)
    glGenTextures(1, &array.name)
    glBindTexture(GLenum(GL_TEXTURE_2D_ARRAY), array.name)
    glTexImage3D(
      GLenum(GL_TEXTURE_2D_ARRAY), 0, storage.internalFormat, GLsizei(size.width),
      GLsizei(size.height), GLsizei(capacity), 0, storage.format, storage.type, nil)
    setTextureDefaults(GL_TEXTURE_2D_ARRAY)
    setSwizzle(array.kind.format, isBGRA: isBGRA, GL_TEXTURE_2D_ARRAY)
    var owners: [TextureID?] = []
    for (layer, owner) in array.owners.enumerated() {
      guard let owner else { continue }
      copier.read(old, layer: layer)
      copier.write(array.name, layer: owners.count)
      copier.copy(size)
      layers[owner]?.array = array.name
      layers[owner]?.index = owners.count
      owners.append(owner)
    }
    array.owners = owners + [TextureID?](repeating: nil, count: capacity - owners.count)
    glDeleteTextures(1, &old)
  }
}

/// Copies pixels from one texture to another, as they are.
private final class LayerCopier {
  private var names: [GLuint] = [0, 0]

  func read(_ array: GLuint, layer: Int) {
    if names[0] == 0 { glGenFramebuffers(2, &names) }
    glBindFramebuffer(GLenum(GL_READ_FRAMEBUFFER), names[0])
    glFramebufferTextureLayer(
      GLenum(GL_READ_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), array, 0, GLint(layer))
  }

  func read(_ texture: GLuint) {
    if names[0] == 0 { glGenFramebuffers(2, &names) }
    glBindFramebuffer(GLenum(GL_READ_FRAMEBUFFER), names[0])
    glFramebufferTexture2D(
      GLenum(GL_READ_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), GLenum(GL_TEXTURE_2D), texture, 0)
  }

  func write(_ array: GLuint, layer: Int) {
    glBindFramebuffer(GLenum(GL_DRAW_FRAMEBUFFER), names[1])
    glFramebufferTextureLayer(
      GLenum(GL_DRAW_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), array, 0, GLint(layer))
  }

  func write(_ texture: GLuint) {
    glBindFramebuffer(GLenum(GL_DRAW_FRAMEBUFFER), names[1])
    glFramebufferTexture2D(
      GLenum(GL_DRAW_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), GLenum(GL_TEXTURE_2D), texture, 0)
  }

  func copy(_ size: PixelSize) {
    glDisable(GLenum(GL_SCISSOR_TEST))
    let (width, height) = (GLint(size.width), GLint(size.height))
    glBlitFramebuffer(
      0, 0, width, height, 0, 0, width, height, GLbitfield(GL_COLOR_BUFFER_BIT),
      GLenum(GL_NEAREST))
    glEnable(GLenum(GL_SCISSOR_TEST))
  }
}
