import Lamina
import LaminaValues

/// The columns and rows of a sheet, on which frames lie from left to right and top to bottom.
struct SheetGrid: Equatable, CustomStringConvertible {
  let columns: Int
  let rows: Int

  /// The limits of a sheet, in pixels per side and in all.
  static let maximumSide = 32_768
  static let maximumPixelCount = 1 << 28

  var cellCount: Int { columns * rows }
  var description: String { "\(columns)x\(rows)" }

  /// Reads `CxR`.
  init(_ text: String) throws(UsageError) {
    let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }.filter { (1...Self.maximumSide) ~= $0 }
    guard parts.count == 2, numbers.count == 2,
      numbers[0] * numbers[1] <= FrameTimesArguments.maximumCount
    else { throw UsageError("--tile: \"\(text)\" is not columns and rows such as 5x2") }
    (columns, rows) = (numbers[0], numbers[1])
  }

  /// Throws if a sheet of such frames, in pixels, is larger than one may be.
  func requireRoom(for frame: (width: Int, height: Int)) throws(UsageError) {
    // A frame's sides and the numbers of columns and rows are below 2¹⁶ each.
    let (width, height) = (frame.width * columns, frame.height * rows)
    guard max(width, height) <= Self.maximumSide, width * height <= Self.maximumPixelCount
    else {
      throw UsageError(
        "--tile: a sheet of \(self) frames of \(frame.width)x\(frame.height) pixels is larger than"
          + " \(Self.maximumSide) a side or \(Self.maximumPixelCount) in all;"
          + " --scale makes frames smaller")
    }
  }
}

/// One PNG file with frames side by side. Takes a frame for each cell.
final class SheetSink: FrameSink {
  private let file: OutputFile
  private let grid: SheetGrid
  private var pixels: PixelBuffer?
  private var count = 0

  init(path: String, grid: SheetGrid) throws(OutputError) {
    file = try OutputFile(path: path)
    self.grid = grid
  }

  func write(_ frame: CGImage) throws {
    let tile = frame.buffer.layout
    let pixels =
      try self.pixels
      ?? PixelBuffer(
        width: tile.width * grid.columns, height: tile.height * grid.rows, format: tile.format,
        use: .store)
    self.pixels = pixels
    pixels.copyPixels(
      of: frame.buffer, toX: count % grid.columns * tile.width,
      y: count / grid.columns * tile.height)
    count += 1
  }

  func finish() throws {
    guard let pixels else { return }
    try file.write(try CGImage(pixels).pngData())
  }
}
