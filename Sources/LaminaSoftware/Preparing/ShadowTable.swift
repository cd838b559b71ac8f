import LaminaValues

/// The shadow around a round corner at places in steps of an eighth of sigma. Between them it is
/// interpolated linearly, to within a quarter of 1/255.
final class ShadowTable {
  /// Places per sigma.
  static let density: Float = 8
  /// The most places a side: a row must fit into a span's memory. A corner with more is computed
  /// for each pixel.
  private static let limit = Painter.spanLimit

  let count: Int
  /// The place of the first number: this far outside the corner, on both axes.
  let outside: Float
  /// `count` rows of as many numbers.
  let numbers: UnsafeMutablePointer<Float>

  /// Nil if the table would be too large.
  init?(radius: Float, sigma: Float) {
    guard sigma > 0, radius >= 0, radius < sigma * 32 else { return nil }
    // The shadow ends four sigmas outside; as far inside of the curve it is as of a straight edge.
    count = Int((radius / sigma + 8) * Self.density) + 2
    guard count <= Self.limit else { return nil }
    outside = 4 * sigma
    numbers = .allocate(capacity: count * count)
    let step = sigma / Self.density
    for row in 0..<count {
      for column in 0..<count {
        numbers[row * count + column] = shadowOfCorner(
          Float(column) * step - outside, Float(row) * step - outside, radius, sigma)
      }
    }
  }

  deinit { numbers.deallocate() }
}

/// Keeps the tables of the corners that were drawn last.
struct ShadowTables {
  private struct Key: Hashable {
    var radius: Float
    var sigma: Float
  }

  private static let limit = 32
  private var tables: [Key: (table: ShadowTable, use: Int)] = [:]
  private var uses = 0

  /// Nil if a table of that corner would be too large.
  mutating func table(radius: Float, sigma: Float) -> ShadowTable? {
    uses += 1
    let key = Key(radius: radius, sigma: sigma)
    if let found = tables[key]?.table {
      tables[key]?.use = uses
      return found
    }
    guard let table = ShadowTable(radius: radius, sigma: sigma) else { return nil }
    if tables.count >= Self.limit, let oldest = tables.min(by: { $0.value.use < $1.value.use }) {
      tables[oldest.key] = nil
    }
    tables[key] = (table, uses)
    return table
  }
}
