import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

extension CompositingGraph: CustomStringConvertible {
  /// A line for each group, and below it one for each of its steps' items.
  var description: String {
    var lines: [String] = []
    for (number, group) in groups.enumerated() {
      let target =
        switch group.target {
        case .surface: ", the surface"
        case .offscreen: ""
        case .canvas(let canvas): ", canvas \(canvas)"
        }
      lines.append("group \(number)\(target), \(group.region)")
      for step in group.steps {
        switch step {
        case .isRead(let reader): lines.append("  read by group \(reader)")
        case .items(let items, let scissor):
          let clip = scissor == group.region ? "" : ", clip \(scissor)"
          for index in items { lines.append("  \(describe(drawn.list.items[index]))\(clip)") }
        }
      }
    }
    return lines.joined(separator: "\n")
  }

  private func describe(_ item: Item) -> String {
    var words = ["\(item.program)", "box \(item.box)"]
    if item.blend != .sourceOver { words.append("\(item.blend)") }
    if item.color != .white || item.program.sourceCount == 0 { words.append(describe(item.color)) }
    if item.program.hasOutline {
      let outline = drawn.list.outlines[Int(item.outline)]
      words.append("radius \(outline.radii.max())")
    }
    for place in 0..<item.program.sourceCount {
      let source = drawn.sources[Int(item.sources[place])]
      words.append("\(describe(source.content)) \(source.filter)")
    }
    if item.shape == .triangles { words.append("cut") }
    return words.joined(separator: ", ")
  }

  private func describe(_ color: ItemColor) -> String {
    switch color {
    case .bytes(let bytes):
      let digits = String(bytes.byteSwapped, radix: 16)
      return "#" + String(repeating: "0", count: 8 - digits.count) + digits
    case .floats(let index):
      let color = drawn.list.colors[Int(index)]
      return "color \(color.x) \(color.y) \(color.z) \(color.w)"
    case .ramp: return "ramp"
    }
  }

  private func describe(_ content: ItemSource.Content) -> String {
    switch content {
    case .image(let number, let tile): "\(images.drawn[number].name) tile \(tile)"
    case .mask(let number): "path of \(drawn.masks[number].path.elements.count) elements"
    case .ramp(let number): "ramp of \(drawn.ramps[number].count)"
    case .group(let group): "group \(group)"
    case .backdrop(let group): "backdrop in group \(group)"
    case .canvas(let number): "canvas \(number)"
    }
  }
}

extension DrawnImage {
  fileprivate var name: String {
    switch pixels {
    case .living(let id): "\(id) version \(image.version)"
    case .kept: "kept image version \(image.version)"
    }
  }
}
