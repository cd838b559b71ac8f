import LaminaFramePlan
import LaminaValues

/// Reading sources into planes of numbers.
extension Painter {
  /// Reads a source's pixels under the span; those outside of it are transparent.
  func readOwnPixels(_ span: Span, second: Bool, into color: ColorNumbers) {
    let brush = span.brush
    let index = second ? brush.pointee.sources.1 : brush.pointee.sources.0
    let x = second ? brush.pointee.secondOffsetX : brush.pointee.offsetX
    let y = second ? brush.pointee.secondOffsetY : brush.pointee.offsetY
    read(
      span.tables.sources[Int(index)], x: span.x &+ Int(x), y: span.y &+ Int(y), span.count,
      into: color)
  }

  /// Reads neighbouring pixels of a row; those outside of the source are transparent.
  func read(_ source: Texels, x: Int, y: Int, _ count: Int, into color: ColorNumbers) {
    let first = min(max(-x, 0), count)
    let end = y < 0 || y >= source.height ? first : min(max(source.width &- x, first), count)
    if first > 0 || end < count {
      color.set(.zero, count)
    }
    guard first < end else { return }
    let inner = color.dropping(first)
    switch source.format {
    case .bgra8: unpack(source.bytes(y) + (x &+ first), end &- first, into: inner)
    case .rgba16f: unpack(source.floats(y) + (x &+ first) &* 4, end &- first, into: inner)
    case .a8:
      let row = source.row(y).assumingMemoryBound(to: UInt8.self) + (x &+ first)
      for i in 0..<end &- first { inner.alpha[i] = Float(row[i]) * (1 / 255) }
      inner.spreadAlpha(end &- first)
    }
  }

  func unpack(_ pixels: UnsafePointer<UInt32>, _ count: Int, into color: ColorNumbers) {
    let step: Float = 1 / 255
    let (red, green, blue, alpha) = (color.red, color.green, color.blue, color.alpha)
    @inline(__always)
    func level(_ byte: UInt32) -> Float { Float(Int32(bitPattern: byte & 255)) * step }
    for i in 0..<count { blue[i] = level(pixels[i]) }
    for i in 0..<count { green[i] = level(pixels[i] &>> 8) }
    for i in 0..<count { red[i] = level(pixels[i] &>> 16) }
    for i in 0..<count { alpha[i] = level(pixels[i] &>> 24) }
  }

  func unpack(_ pixels: UnsafePointer<Float>, _ count: Int, into color: ColorNumbers) {
    let (red, green, blue, alpha) = (color.red, color.green, color.blue, color.alpha)
    for i in 0..<count {
      red[i] = pixels[i &* 4]
      green[i] = pixels[i &* 4 &+ 1]
      blue[i] = pixels[i &* 4 &+ 2]
      alpha[i] = pixels[i &* 4 &+ 3]
    }
  }

  // MARK: Sampling

  /// Samples the first source at the places in `sourceX` and `sourceY` into the other colour.
  func sample(_ span: Span) {
    let brush = span.brush
    if brush.pointee.program.isMipmapped {
      sampleLevels(span)
    } else {
      sample(span.source, isNearest: brush.pointee.isNearest, span.count, into: other)
    }
  }

  private func sample(_ source: Texels, isNearest: Bool, _ count: Int, into color: ColorNumbers) {
    switch source.format {
    case .bgra8:
      sampleBytes(source, isNearest: isNearest, count)
      unpack(pixels, count, into: color)
    case .a8:
      sampleCoverage(source, isNearest: isNearest, count, into: color.alpha)
      color.spreadAlpha(count)
    case .rgba16f: sampleFloats(source, isNearest: isNearest, count, into: color)
    }
  }

  private func sampleBytes(_ source: Texels, isNearest: Bool, _ count: Int) {
    for i in 0..<count {
      if isNearest {
        let column = Self.pixel(sourceX[i], source.width)
        pixels[i] = source.bytes(Self.pixel(sourceY[i], source.height))[column]
      } else {
        pixels[i] = PixelRows.sample(source, sourceX[i] * 256, sourceY[i] * 256)
      }
    }
  }

  func sampleCoverage(
    _ source: Texels, isNearest: Bool, _ count: Int, into numbers: Numbers
  ) {
    for i in 0..<count {
      let four = neighbours(i, of: source, isNearest)
      let upper = source.row(four.top).assumingMemoryBound(to: UInt8.self)
      let lower = source.row(four.bottom).assumingMemoryBound(to: UInt8.self)
      let above = mixed(Float(upper[four.left]), Float(upper[four.right]), four.x)
      let below = mixed(Float(lower[four.left]), Float(lower[four.right]), four.x)
      numbers[i] = mixed(above, below, four.y) * (1 / 255)
    }
  }

  private func sampleFloats(
    _ source: Texels, isNearest: Bool, _ count: Int, into color: ColorNumbers
  ) {
    for i in 0..<count {
      let four = neighbours(i, of: source, isNearest)
      let (upper, lower) = (source.floats(four.top), source.floats(four.bottom))
      func channel(_ channel: Int) -> Float {
        let (left, right) = (four.left &* 4 &+ channel, four.right &* 4 &+ channel)
        return mixed(
          mixed(upper[left], upper[right], four.x), mixed(lower[left], lower[right], four.x),
          four.y)
      }
      color.red[i] = channel(0)
      color.green[i] = channel(1)
      color.blue[i] = channel(2)
      color.alpha[i] = channel(3)
    }
  }

  /// The four pixels around a place, and the weights of the right and the lower ones.
  private struct Neighbours {
    var left: Int
    var right: Int
    var top: Int
    var bottom: Int
    var x: Float = 0
    var y: Float = 0
  }

  @inline(__always)
  private func neighbours(_ i: Int, of source: Texels, _ isNearest: Bool) -> Neighbours {
    if isNearest {
      let x = Self.pixel(sourceX[i], source.width)
      let y = Self.pixel(sourceY[i], source.height)
      return Neighbours(left: x, right: x, top: y, bottom: y)
    }
    let x = PixelRows.place(sourceX[i] * 256, Float(source.width &- 1) * 256)
    let y = PixelRows.place(sourceY[i] * 256, Float(source.height &- 1) * 256)
    let (left, top) = (Int(x &>> 8), Int(y &>> 8))
    return Neighbours(
      left: left, right: min(left &+ 1, source.width &- 1), top: top,
      bottom: min(top &+ 1, source.height &- 1), x: Float(x & 255) * (1 / 256),
      y: Float(y & 255) * (1 / 256))
  }

  @inline(__always)
  private func mixed(_ a: Float, _ b: Float, _ weight: Float) -> Float { a + (b - a) * weight }

  // MARK: Smaller copies

  /// Samples between the two copies of the image whose pixels are nearest in size to the target's.
  private func sampleLevels(_ span: Span) {
    let brush = span.brush
    let constant = findSlopes(
      brush.pointee.sourceX, brush.pointee.sourceY, x: sourceX, y: sourceY, span)
    let count = Int(brush.pointee.levelCount)
    if let constant {
      sampleLevels(span, Level(constant, brush.pointee.levelBias, count), 0..<span.count)
      return
    }
    // Pixels of one level go together.
    let (a, b, c, d) = slopes
    var first = 0
    while first < span.count {
      func level(_ i: Int) -> Level {
        Level(
          Slopes(xAcross: a[i], yAcross: b[i], xDown: c[i], yDown: d[i]), brush.pointee.levelBias,
          count)
      }
      let found = level(first)
      var end = first + 1
      while end < span.count, level(end) == found { end += 1 }
      sampleLevels(span, found, first..<end)
      first = end
    }
  }

  /// The place between two copies of an image.
  private struct Level: Equatable {
    /// 0 is the image itself.
    var first: Int
    /// The weight of the next smaller copy.
    var weight: Float

    init(_ slopes: Slopes, _ bias: Float, _ count: Int) {
      let across = slopes.xAcross * slopes.xAcross + slopes.yAcross * slopes.yAcross
      let down = slopes.xDown * slopes.xDown + slopes.yDown * slopes.yDown
      // Half the logarithm of a square is that of the length.
      let longest = 0.5 * PortableMath.binaryLogarithm(Double(most(across, down)))
      let wanted = longest + Double(bias)
      let level = wanted > 0 ? min(wanted, Double(count)) : 0
      first = Int(level)
      weight = Float(level - Double(first))
    }
  }

  /// Samples some of the span's pixels. It may write over the places before the range's end.
  private func sampleLevels(_ span: Span, _ level: Level, _ range: Range<Int>) {
    let sources = span.tables.sources + Int(span.brush.pointee.sources.0)
    let (savedX, savedY) = (more.0, more.1)
    savedX.update(from: sourceX + range.lowerBound, count: range.count)
    savedY.update(from: sourceY + range.lowerBound, count: range.count)
    func sample(_ index: Int, into color: ColorNumbers) {
      let copy = sources[index]
      let factorX = Float(copy.width) / Float(sources[0].width)
      let factorY = Float(copy.height) / Float(sources[0].height)
      for i in 0..<range.count { sourceX[i] = savedX[i] * factorX }
      for i in 0..<range.count { sourceY[i] = savedY[i] * factorY }
      self.sample(copy, isNearest: false, range.count, into: color)
    }
    let result = other.dropping(range.lowerBound)
    sample(level.first, into: result)
    guard level.weight > 0 else { return }
    sample(level.first + 1, into: spare)
    result.mix(1 - level.weight, with: spare, level.weight, range.count)
  }
}
