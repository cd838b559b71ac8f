import LaminaFramePlan
import LaminaValues

/// An image that plans upload, and smaller copies of it.
struct Texture {
  let texels: Texels
  /// The texture's own memory; nil if it lies in a store.
  private let bitmap: Bitmap?
  /// Each half as large as the one before, the first half as large as the image.
  var mipmaps: [Bitmap] = []

  init(_ size: PixelSize, _ format: PixelFormat) {
    let bitmap = Bitmap(size, format)
    (self.bitmap, texels) = (bitmap, bitmap.texels)
  }

  /// The pixels of an upload where they are, which stay there for as long as the texture is drawn;
  /// nil if they cannot be read there.
  init?(at rows: UploadRows, _ size: PixelSize, _ format: PixelFormat) {
    let alignment = format == .bgra8 ? 4 : 1
    guard format != .rgba16f, rows.stride.isMultiple(of: alignment),
      UInt(bitPattern: rows.start).isMultiple(of: UInt(alignment))
    else { return nil }
    bitmap = nil
    // Nothing writes to textures without memory of their own.
    texels = Texels(
      base: UnsafeMutableRawPointer(mutating: rows.start), stride: rows.stride, width: size.width,
      height: size.height, format: format)
  }

  var isWritable: Bool { bitmap != nil }

  /// Writes one upload's pixels, which were checked to be there, into the texture's own memory.
  func write(_ pixels: UnsafeRawPointer, stride: Int, to region: PixelRect) {
    guard let bitmap else { return }
    let pixel = bitmap.format.storedBytesPerPixel
    for y in 0..<region.height {
      let from = pixels + y * stride
      let to = bitmap.base + (region.minY + y) * bitmap.stride + region.minX * pixel
      guard bitmap.format == .rgba16f else {
        to.copyMemory(from: from, byteCount: region.width * pixel)
        continue
      }
      let floats = to.assumingMemoryBound(to: Float.self)
      for i in 0..<region.width * 4 {
        floats[i] = Float(from.loadUnaligned(fromByteOffset: i * 2, as: Float16.self))
      }
    }
  }

  /// Makes smaller copies of the current contents. A pixel of a copy is the larger one's, sampled
  /// linearly at its middle: the mean of four where the larger size is even.
  mutating func makeMipmaps(_ count: Int) {
    mipmaps.removeAll()
    var larger = texels
    for _ in 0..<count {
      guard larger.width > 1 || larger.height > 1 else { break }
      let copy = Bitmap(
        PixelSize(width: max(larger.width / 2, 1), height: max(larger.height / 2, 1)),
        larger.format)
      let (x, y) = (
        Places(copy.size.width, of: larger.width), Places(copy.size.height, of: larger.height)
      )
      switch larger.format {
      case .bgra8: reduce(larger, to: copy, x, y, as: UInt8.self, channels: 4)
      case .a8: reduce(larger, to: copy, x, y, as: UInt8.self, channels: 1)
      case .rgba16f: reduce(larger, to: copy, x, y, as: Float.self, channels: 4)
      }
      mipmaps.append(copy)
      larger = copy.texels
    }
  }

  /// The places at which a side of a larger image is sampled for a smaller one.
  private struct Places {
    /// The two nearest pixels, and the weight of the second.
    var pixels: [(first: Int, second: Int, weight: Float)] = []

    init(_ count: Int, of larger: Int) {
      for place in 0..<count {
        let middle = (Float(place) + 0.5) * Float(larger) / Float(count) - 0.5
        let first = min(max(Int(middle), 0), larger - 1)
        pixels.append((first, min(first + 1, larger - 1), max(middle - Float(first), 0)))
      }
    }
  }

  private func reduce<Channel: MipmapChannel>(
    _ larger: Texels, to copy: Bitmap, _ across: Places, _ down: Places, as: Channel.Type,
    channels: Int
  ) {
    for y in 0..<copy.size.height {
      let place = down.pixels[y]
      let upper = (larger.base + place.first * larger.stride).assumingMemoryBound(to: Channel.self)
      let lower = (larger.base + place.second * larger.stride)
        .assumingMemoryBound(to: Channel.self)
      let row = (copy.base + y * copy.stride).assumingMemoryBound(to: Channel.self)
      for x in 0..<copy.size.width {
        let (first, second, weight) = across.pixels[x]
        for channel in 0..<channels {
          let (a, b) = (first * channels + channel, second * channels + channel)
          let above = upper[a].level + (upper[b].level - upper[a].level) * weight
          let below = lower[a].level + (lower[b].level - lower[a].level) * weight
          row[x * channels + channel] = Channel(level: above + (below - above) * place.weight)
        }
      }
    }
  }
}

/// A channel of a pixel, as a number that can be averaged.
private protocol MipmapChannel {
  var level: Float { get }
  init(level: Float)
}

extension UInt8: MipmapChannel {
  fileprivate var level: Float { Float(self) }
  fileprivate init(level: Float) { self = UInt8(truncatingIfNeeded: Pixel.byte(level / 255)) }
}

extension Float: MipmapChannel {
  fileprivate var level: Float { self }
  fileprivate init(level: Float) { self = level }
}
