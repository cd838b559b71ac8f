import Foundation
import LaminaFramePlan
import LaminaValues

/// An outline with round corners along the pixels, outside of which a group is erased where it is
/// painted.
///
/// Such a group is drawn by copying its pixels, edges and all. Where a CPU computes the outline's
/// coverage while it reads them, it takes several times as long for a pixel, and along a side most
/// of what it computes is not drawn: it shades squares of four by four pixels.
struct PixelOutline {
  /// In pixels.
  private let rect: CGRect
  private let radius: Double
  /// The pixels that it touches.
  let box: PixelRect

  /// The smallest part of a pixel outside of it that is erased.
  private static let tolerance = 1e-4

  /// nil if the outline is turned, stretched or seen in perspective, or if its corners are not
  /// parts of equal circles of half a pixel or more.
  init?(_ outline: CornerOutline, through projection: Projection) {
    let scale = abs(projection.affine.a)
    radius = outline.radii.x * scale
    guard projection.isUpright, abs(abs(projection.affine.d) - scale) <= 1e-6 * scale,
      outline.curve == .circular, outline.radii == .init(repeating: outline.radii.x),
      radius >= 0.5, !outline.rect.isNull
    else { return nil }
    rect = outline.rect.applying(projection.affine)
    box = PixelRect(covering: rect, within: .everywhere)
    guard !box.isEmpty else { return nil }
  }

  /// Adds items that erase what lies outside of it, in its box.
  func addErasing(to drawn: inout DrawnItems, _ format: TargetFormat, within visible: PixelRect) {
    let columns = Self.between(rect.minX + radius, rect.maxX - radius, box.minX, box.maxX)
    let rows = Self.between(rect.minY + radius, rect.maxY - radius, box.minY, box.maxY)
    addCorners(columns, rows, to: &drawn, within: visible)
    func addSide(_ minX: Int, _ minY: Int, _ maxX: Int, _ maxY: Int, outside: Double) {
      guard outside > Self.tolerance, maxX > minX, maxY > minY else { return }
      let color = drawn.color(
        straight: SIMD4(0, 0, 0, outside), tint: SIMD4(repeating: 1), format)
      drawn.list.add(
        Item(.solid, blend: .destinationOut, color: color),
        PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: maxY), within: visible)
    }
    let (first, last) = (columns.lowerBound, columns.upperBound)
    addSide(first, box.minY, last, box.minY + 1, outside: rect.minY - Double(box.minY))
    addSide(first, box.maxY - 1, last, box.maxY, outside: Double(box.maxY) - rect.maxY)
    let (top, bottom) = (rows.lowerBound, rows.upperBound)
    addSide(box.minX, top, box.minX + 1, bottom, outside: rect.minX - Double(box.minX))
    addSide(box.maxX - 1, top, box.maxX, bottom, outside: Double(box.maxX) - rect.maxX)
  }

  /// Adds what erases its corners: a border around it that reaches beyond its box.
  private func addCorners(
    _ columns: Range<Int>, _ rows: Range<Int>, to drawn: inout DrawnItems,
    within visible: PixelRect
  ) {
    // The corner of a square around a circle is 0.41 radii away from it.
    let width = (radius / 2).rounded(.up) + 2
    let around = CornerOutline(
      rect: rect.insetBy(dx: -width, dy: -width), radii: .init(repeating: radius + width))
    let item = Item(
      .roundedBorder, blend: .destinationOut, color: .black, outline: drawn.list.outline(around),
      numbers: [Float(width), 0])
    for (minY, maxY) in [(box.minY, rows.lowerBound), (rows.upperBound, box.maxY)] {
      for (minX, maxX) in [(box.minX, columns.lowerBound), (columns.upperBound, box.maxX)] {
        let corner = PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: maxY)
        drawn.list.add(item, corner, within: visible)
      }
    }
  }

  /// The pixels along an axis between two corners, which end and begin at such places; if there are
  /// none, the place where the corners meet.
  private static func between(
    _ first: CGFloat, _ last: CGFloat, _ least: Int, _ most: Int
  ) -> Range<Int> {
    func pixel(_ place: CGFloat) -> Int { Int(min(max(place, CGFloat(least)), CGFloat(most))) }
    let end = pixel(last.rounded(.down))
    return min(pixel(first.rounded(.up)), end)..<end
  }
}
