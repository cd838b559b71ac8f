import Foundation

/// A blur of coverage.
enum Blur {
  /// A Gaussian; `sigma` is its standard deviation in pixels.
  case gaussian(sigma: CGFloat)
  /// Two box blurs, one after the other, which together spread `reach` pixels.
  case twoBoxes(reach: Int)

  /// How far the blur spreads, in pixels. A Gaussian counts as spreading three standard deviations:
  /// less than 0.3 % of it lies beyond.
  var reach: Int {
    switch self {
    case .gaussian(let sigma): Int((sigma * 3).rounded(.up))
    case .twoBoxes(let reach): reach
    }
  }

  /// Largest standard deviation, in pixels, of a Gaussian that is convolved as such. Above it three
  /// box blurs take its place: they differ from it by 1.5 % at most, and cost the same whatever the
  /// deviation.
  private static let largestKernelSigma: CGFloat = 16

  /// Blurs a surface of one byte a pixel, first along rows and then along columns. Pixels outside
  /// the surface count as 0.
  func apply(to surface: CairoSurface) {
    let (width, height, reach) = (surface.region.width, surface.region.height, reach)
    var (kernel, boxes): ([Float], [Int]) = ([], [])
    switch self {
    case .gaussian(let sigma):
      guard sigma > 0.05 else { return }
      if sigma > Self.largestKernelSigma {
        boxes = Self.boxes(sigma: sigma)
      } else {
        kernel = Self.kernel(sigma: sigma, reach: reach)
      }
    case .twoBoxes:
      guard reach > 0 else { return }
      boxes = [reach / 2, reach - reach / 2]
    }
    surface.withBytes { bytes, stride in
      let room = max(width, height) + reach * 2 + 2
      var line = [Float](repeating: 0, count: room)
      var sums = [Float](repeating: 0, count: boxes.isEmpty ? 0 : room)
      func blur(_ start: UnsafeMutablePointer<UInt8>, step: Int, count: Int) {
        guard Self.load(start, step: step, count: count, &line, margin: reach) else { return }
        if boxes.isEmpty {
          Self.convolve(line, kernel, start, step: step, count: count)
        } else {
          for half in boxes { Self.average(&line, &sums, half, count: count + reach * 2) }
          for index in 0..<count { start[index * step] = Self.byte(line[reach + index]) }
        }
      }
      for y in 0..<height { blur(bytes + y * stride, step: 1, count: width) }
      for x in 0..<width { blur(bytes + x, step: stride, count: height) }
    }
  }

  /// Half of the kernel, from its middle outward; the whole kernel sums to 1.
  private static func kernel(sigma: CGFloat, reach: Int) -> [Float] {
    let weights = (0...reach).map { exp(-CGFloat($0 * $0) / (2 * sigma * sigma)) }
    let sum = weights.reduce(0, +) * 2 - weights[0]
    return weights.map { Float($0 / sum) }
  }

  /// How many pixels each of three boxes reaches to either side, so that their variances sum to the
  /// Gaussian's: a box of n pixels has (n² − 1) / 12.
  private static func boxes(sigma: CGFloat) -> [Int] {
    let width = (sigma * sigma * 4 + 1).squareRoot()
    let small = Int((width - 1) / 2)
    func variance(_ half: Int) -> CGFloat { CGFloat(half * (half + 1)) / 3 }
    let wanted = sigma * sigma - 3 * variance(small)
    let step = variance(small + 1) - variance(small)
    let larger = Int((wanted / step).rounded())
    return (0..<3).map { $0 < larger ? small + 1 : small }
  }

  /// Copies a row or a column into `line`, between two margins of zeros; false if all of it is
  /// zero.
  private static func load(
    _ bytes: UnsafeMutablePointer<UInt8>, step: Int, count: Int, _ line: inout [Float], margin: Int
  ) -> Bool {
    var isEmpty = true
    line.withUnsafeMutableBufferPointer { line in
      line.update(repeating: 0)
      for index in 0..<count {
        let value = bytes[index * step]
        if value != 0 { isEmpty = false }
        line[margin + index] = Float(value)
      }
    }
    return !isEmpty
  }

  private static func convolve(
    _ line: [Float], _ kernel: [Float], _ bytes: UnsafeMutablePointer<UInt8>, step: Int, count: Int
  ) {
    let reach = kernel.count - 1
    line.withUnsafeBufferPointer { line in
      kernel.withUnsafeBufferPointer { kernel in
        for index in 0..<count {
          let middle = reach + index
          var sum = line[middle] * kernel[0]
          var distance = 1
          while distance <= reach {
            sum += (line[middle - distance] + line[middle + distance]) * kernel[distance]
            distance += 1
          }
          bytes[index * step] = byte(sum)
        }
      }
    }
  }

  /// Replaces each value by the mean of the values up to `half` places away.
  private static func average(
    _ line: inout [Float], _ sums: inout [Float], _ half: Int, count: Int
  ) {
    line.withUnsafeMutableBufferPointer { line in
      sums.withUnsafeMutableBufferPointer { sums in
        // sums[i] is the sum of all values before i.
        for index in 0..<count { sums[index + 1] = sums[index] + line[index] }
        let scale = 1 / Float(half * 2 + 1)
        for index in 0..<count {
          let sum = sums[min(count, index + half + 1)] - sums[max(0, index - half)]
          line[index] = sum * scale
        }
      }
    }
  }

  private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value + 0.5, 0), 255)) }
}
