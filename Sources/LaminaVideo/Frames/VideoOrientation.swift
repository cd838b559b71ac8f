import LaminaValues

/// How the stored picture is turned for showing: mirrored, left and right changing places, and then
/// turned clockwise.
package struct VideoOrientation: Hashable, Sendable {
  /// Quarters of a turn, from 0 to 3.
  package var quarterTurns: Int
  package var isMirrored: Bool

  package init(quarterTurns: Int, isMirrored: Bool = false) {
    (self.quarterTurns, self.isMirrored) = (quarterTurns & 3, isMirrored)
  }

  /// Reads a display matrix: nine numbers, of which the first two of the first two rows say where
  /// the picture's right and down point. Angles between quarters, which cameras do not write,
  /// become the nearest one.
  init(_ matrix: UnsafePointer<Int32>?) {
    guard let matrix else {
      self.init(quarterTurns: 0)
      return
    }
    let (a, b) = (Int64(matrix[0]), Int64(matrix[1]))
    let (c, d) = (Int64(matrix[3]), Int64(matrix[4]))
    // Each product fits, and so does their difference.
    let isMirrored = a * d - b * c < 0
    // Where right would point without the mirroring.
    let (x, y) = isMirrored ? (-a, -b) : (a, b)
    let turns = abs(x) >= abs(y) ? (x >= 0 ? 0 : 2) : (y > 0 ? 1 : 3)
    self.init(quarterTurns: turns, isMirrored: isMirrored)
  }

  /// Whether width and height change places.
  package var swapsSides: Bool { quarterTurns % 2 == 1 }

  /// The size of a turned picture.
  func turned(_ size: PixelSize) -> PixelSize {
    swapsSides ? PixelSize(width: size.height, height: size.width) : size
  }

  /// Copies a picture's pixels, whose rows have no gaps, to where they are shown. There must be
  /// room for them.
  func turn(
    _ picture: UnsafePointer<UInt32>, _ size: PixelSize,
    into pixels: UnsafeMutableRawBufferPointer, stride: Int
  ) {
    guard let start = pixels.baseAddress else { return }
    let (lastX, lastY) = (size.width - 1, size.height - 1)
    for y in 0..<size.height {
      for column in 0..<size.width {
        let x = isMirrored ? lastX - column : column
        let (toX, toY) =
          switch quarterTurns {
          case 1: (lastY - y, x)
          case 2: (lastX - x, lastY - y)
          case 3: (y, lastX - x)
          default: (x, y)
          }
        let row = (start + toY * stride).assumingMemoryBound(to: UInt32.self)
        row[toX] = picture[y * size.width + column]
      }
    }
  }
}
