import LaminaFramePlan
import LaminaValues

/// Combining the colour with the target.
extension Painter {
  /// Writes the colour into the target as the brush's blend says.
  func store(_ span: Span) {
    let blend = span.brush.pointee.blend
    if span.target.format == .bgra8 {
      pack(span.count)
      switch blend {
      case .copy, .formula:
        PixelRows.copy(span.bytes, pixels, span.count)
        return
      case .sourceOver:
        rows.over(span.bytes, pixels, span.count)
        return
      default:
        // What is blended has 8 bits.
        unpack(pixels, span.count, into: color)
        unpack(span.bytes, span.count, into: other)
        self.blend(blend, span.count)
        pack(span.count)
        PixelRows.copy(span.bytes, pixels, span.count)
      }
      return
    }
    unpack(span.floats, span.count, into: other)
    self.blend(blend, span.count)
    let floats = span.floats
    for i in 0..<span.count {
      floats[i &* 4] = color.red[i]
      floats[i &* 4 &+ 1] = color.green[i]
      floats[i &* 4 &+ 2] = color.blue[i]
      floats[i &* 4 &+ 3] = color.alpha[i]
    }
  }

  /// Rounds the colour to 8 bits, into `pixels`.
  private func pack(_ count: Int) {
    let (red, green, blue, alpha) = (color.red, color.green, color.blue, color.alpha)
    let pixels = pixels
    for i in 0..<count {
      pixels[i] =
        Pixel.byte(blue[i]) | Pixel.byte(green[i]) &<< 8 | Pixel.byte(red[i]) &<< 16
        | Pixel.byte(alpha[i]) &<< 24
    }
  }

  /// Blends the colour onto the other one.
  private func blend(_ blend: FramePlan.Blend, _ count: Int) {
    switch blend {
    case .copy, .formula: return
    case .sourceOver: self.blend(count) { s, d, sa, _ in s + d * (1 - sa) }
    case .plus: self.blend(count) { s, d, _, _ in s + d }
    case .screen: self.blend(count) { s, d, _, _ in s + d * (1 - s) }
    case .multiply:
      // The target's alpha stays.
      let kept = coverage
      kept.update(from: other.alpha, count: count)
      self.blend(count) { s, d, sa, _ in s * d + d * (1 - sa) }
      color.alpha.update(from: kept, count: count)
    case .fill:
      let (source, target) = (more.0, more.1)
      source.update(from: color.alpha, count: count)
      target.update(from: other.alpha, count: count)
      self.blend(count) { s, d, _, da in s * (1 - da) + d }
      for i in 0..<count { color.alpha[i] = source[i] + target[i] * (1 - source[i]) }
    case .sourceAtop: self.blend(count) { s, d, sa, da in s * da + d * (1 - sa) }
    case .destinationOver: self.blend(count) { s, d, _, da in s * (1 - da) + d }
    case .destinationOut: self.blend(count) { _, d, sa, _ in d * (1 - sa) }
    case .xor: self.blend(count) { s, d, sa, da in s * (1 - da) + d * (1 - sa) }
    }
  }

  /// Replaces each channel by a function of the source's and the target's channel and alphas.
  @inline(__always)
  private func blend(_ count: Int, _ function: (Float, Float, Float, Float) -> Float) {
    for i in 0..<count {
      let (sa, da) = (color.alpha[i], other.alpha[i])
      color.red[i] = function(color.red[i], other.red[i], sa, da)
      color.green[i] = function(color.green[i], other.green[i], sa, da)
      color.blue[i] = function(color.blue[i], other.blue[i], sa, da)
      color.alpha[i] = function(sa, da, sa, da)
    }
  }
}
