import Foundation
import LaminaValues

extension FramePlan: CustomStringConvertible {
  /// One line per upload, set of mipmaps, canvas, pass, batch and release, in this order, except
  /// that each batch follows its pass.
  @usableFromInline package var description: String {
    var lines = ["frame \(size) damage \(describe(damage))"]
    for upload in uploads {
      let source =
        switch upload.source {
        case .store(let image, let x, let y): "\(image) from \(x),\(y)"
        case .dmaBuf(let id): "\(id)"
        case .bytes(let bytes): "\(bytes.count) bytes"
        }
      lines.append(
        "upload \(upload.texture) \(upload.size) \(upload.format) region \(upload.region): \(source)"
      )
    }
    for mipmaps in mipmaps { lines.append("mipmaps \(mipmaps.texture) \(mipmaps.count)") }
    for canvas in canvases { lines.append("canvas \(canvas.texture) \(canvas.size)") }
    for pass in passes {
      let name =
        switch pass.target {
        case .surface: "surface"
        case .offscreen(let index): "offscreen \(index) \(offscreens[index])"
        case .canvas(let id): "canvas \(id)"
        }
      let unsampled = pass.unsampled.isEmpty ? "" : ", unsampled \(describe(pass.unsampled))"
      lines.append(
        "pass \(name) \(pass.isCleared ? "clear" : "keep") \(describe(pass.parts))\(unsampled)")
      for batch in pass.batches { lines.append("  \(describe(batch, in: pass))") }
    }
    for texture in releases { lines.append("release \(texture)") }
    return lines.joined(separator: "\n")
  }

  private func describe(_ parts: [PixelRect]) -> String {
    parts.isEmpty ? "nothing" : parts.map(\.description).joined(separator: " ")
  }

  private func describe(_ batch: Batch, in pass: Pass) -> String {
    var words = ["\(batch.program)", "\(batch.vertexCount / 3) triangles"]
    if batch.blend != .sourceOver { words.append("\(batch.blend)") }
    for source in batch.sources {
      let name =
        switch source.texture {
        case .texture(let id): "\(id)"
        case .canvas(let id): "canvas \(id)"
        case .offscreen(let index): "offscreen \(index)"
        case .surface: "surface"
        }
      words.append("\(name) \(source.filter)")
    }
    words.append("scissor \(batch.scissor)")
    return words.joined(separator: ", ") + " box \(box(of: batch, in: pass))"
  }

  /// The bounding box of a batch's items in the target's pixels, rounded to hundredths.
  private func box(of batch: Batch, in pass: Pass) -> String {
    var points: [CGPoint] = []
    for item in items.items[batch.items] {
      for index in 0..<Int(item.cornerCount) {
        let corner = items.corners[Int(item.firstCorner) + index]
        points.append(
          CGPoint(x: corner.x - CGFloat(pass.originX), y: corner.y - CGFloat(pass.originY)))
      }
    }
    let box = CGRect(enclosing: points)
    func short(_ v: CGFloat) -> String {
      let rounded = (v * 100).rounded() / 100
      return rounded == rounded.rounded() && abs(rounded) < 1e15
        ? String(Int64(rounded)) : String(Double(rounded))
    }
    return "(\(short(box.minX)),\(short(box.minY)) \(short(box.width))x\(short(box.height)))"
  }
}
