import Foundation
import Lamina

/// The chart as layers. Lengths are points, y points down.
extension BenchPlot {
  private enum Metrics {
    static let width: CGFloat = 960
    static let margin: CGFloat = 28
    /// Where the plot begins, after the names of the cases.
    static let plotMinX: CGFloat = 208
    /// Width of the medians, after the plot, and of the verdicts after them.
    static let medians: CGFloat = 84
    static let verdicts: CGFloat = 128
    static let title: CGFloat = 70
    static let legendLine: CGFloat = 18
    /// Height of the axis' labels, above and below the rows.
    static let axis: CGFloat = 26
    static let lane: CGFloat = 15
    static let rowPadding: CGFloat = 5
    static let footer: CGFloat = 66
  }

  private enum Ink {
    static let text = CGColor(gray: 0.13, alpha: 1)
    static let faintText = CGColor(gray: 0.45, alpha: 1)
    static let stripe = CGColor(red: 0.965, green: 0.97, blue: 0.98, alpha: 1)
    static let line = CGColor(gray: 0.80, alpha: 1)
    static let faintLine = CGColor(gray: 0.90, alpha: 1)
    static let slower = CGColor(red: 0.78, green: 0.16, blue: 0.14, alpha: 1)
    static let faster = CGColor(red: 0.10, green: 0.52, blue: 0.26, alpha: 1)
    /// One for each platform, in the order in which they were measured.
    static let platforms: [(Double, Double, Double)] = [
      (0.16, 0.44, 0.80), (0.90, 0.49, 0.13), (0.22, 0.62, 0.40), (0.52, 0.36, 0.74),
      (0.32, 0.60, 0.68),
    ]
  }

  /// The largest height of a picture.
  static let largestHeight: CGFloat = 8000

  var size: CGSize {
    CGSize(
      width: Metrics.width,
      height: (plotMinY + plotHeight + Metrics.axis + Metrics.footer).rounded(.up))
  }

  private var plotMinY: CGFloat {
    Metrics.title + Metrics.legendLine * CGFloat(series.count) + 10 + Metrics.axis
  }

  private var isCompared: Bool { series.contains(where: \.isBefore) }

  private var plotMaxX: CGFloat { medianMaxX - Metrics.medians }
  private var medianMaxX: CGFloat {
    Metrics.width - Metrics.margin - (isCompared ? Metrics.verdicts : 0)
  }
  private var verdictMinX: CGFloat { medianMaxX + 18 }

  private var plotHeight: CGFloat { rows.reduce(0) { $0 + height(of: $1) } }

  private func height(of row: Row) -> CGFloat {
    CGFloat(row.boxes.count) * Metrics.lane + 2 * Metrics.rowPadding
      + row.boxes.indices.reduce(0) { $0 + gap(above: $1, in: row) }
  }

  /// The space that parts the two runs of a platform from those of the one above.
  private func gap(above index: Int, in row: Row) -> CGFloat {
    isCompared && index > 0 && row.boxes[index].comparison == nil ? 5 : 0
  }

  private func x(_ value: Double) -> CGFloat {
    Metrics.plotMinX + CGFloat(scale.place(value)) * (plotMaxX - Metrics.plotMinX)
  }

  /// A series' colour: that of its platform, and a paler one for the earlier run.
  private func color(_ series: Series) -> CGColor {
    var platforms: [RenderPlatform] = []
    for other in self.series where !platforms.contains(other.platform) {
      platforms.append(other.platform)
    }
    let index = platforms.firstIndex(of: series.platform) ?? 0
    let (red, green, blue) = Ink.platforms[index % Ink.platforms.count]
    func mixed(_ value: Double) -> Double { series.isBefore ? 1 - (1 - value) * 0.45 : value }
    return CGColor(red: mixed(red), green: mixed(green), blue: mixed(blue), alpha: 1)
  }

  /// The root of the chart's layers.
  func layer() -> CALayer {
    let root = CALayer()
    root.frame = CGRect(origin: .zero, size: size)
    root.backgroundColor = CGColor(gray: 1, alpha: 1)
    addHeading(to: root)
    addRowBackgrounds(to: root)
    addAxis(to: root)
    var y = plotMinY
    for row in rows {
      add(row, at: y, to: root)
      y += height(of: row)
    }
    addFooter(to: root)
    return root
  }

  // MARK: Parts

  private func addHeading(to root: CALayer) {
    let width = Metrics.width - 2 * Metrics.margin
    let version = series.last?.origin.version ?? ""
    root.addSublayer(
      text(
        "\(title) \(version)", size: 20, isBold: true, x: Metrics.margin, y: 20, width: width))
    root.addSublayer(
      text(subtitle, size: 12, color: Ink.faintText, x: Metrics.margin, y: 46, width: width))
    for (index, series) in series.enumerated() {
      let y = Metrics.title + CGFloat(index) * Metrics.legendLine
      let chip = CALayer()
      chip.frame = CGRect(x: Metrics.margin, y: y + 3, width: 18, height: 10)
      chip.cornerRadius = 2
      chip.backgroundColor = color(series)
      root.addSublayer(chip)
      root.addSublayer(
        text(legend(of: series), size: 11, x: Metrics.margin + 26, y: y, width: width - 26))
    }
  }

  private func addRowBackgrounds(to root: CALayer) {
    var y = plotMinY
    for (index, row) in rows.enumerated() {
      if index.isMultiple(of: 2) {
        let stripe = CALayer()
        stripe.frame = CGRect(
          x: Metrics.margin - 8, y: y, width: Metrics.width - 2 * Metrics.margin + 16,
          height: height(of: row))
        stripe.backgroundColor = Ink.stripe
        root.addSublayer(stripe)
      }
      y += height(of: row)
    }
  }

  private func addAxis(to root: CALayer) {
    let bottom = plotMinY + plotHeight
    for tick in scale.ticks {
      let line = CALayer()
      // On whole pixels, so that all lines are alike.
      let pixels = Self.pixelsPerPoint
      let x = (x(tick.value) * pixels).rounded() / pixels
      line.frame = CGRect(x: x, y: plotMinY, width: 1 / pixels, height: plotHeight)
      line.backgroundColor = tick.label == nil ? Ink.faintLine : Ink.line
      root.addSublayer(line)
      guard let label = tick.label else { continue }
      for y in [plotMinY - 18, bottom + 4] {
        root.addSublayer(
          text(
            label, size: 10, color: Ink.faintText, alignment: .center, x: x - 30, y: y, width: 60))
      }
    }
    let name = "milliseconds" + (scale.isLogarithmic ? ", logarithmic" : "")
    root.addSublayer(
      text(
        name, size: 11, alignment: .center, x: Metrics.plotMinX, y: bottom + 20,
        width: plotMaxX - Metrics.plotMinX))
    root.addSublayer(
      text(
        "median, ms", size: 10, color: Ink.faintText, alignment: .right,
        x: plotMaxX, y: plotMinY - 18, width: medianMaxX - plotMaxX))
    guard isCompared else { return }
    root.addSublayer(
      text(
        "now to before", size: 10, color: Ink.faintText, x: verdictMinX,
        y: plotMinY - 18, width: Metrics.width - verdictMinX))
  }

  private func add(_ row: Row, at top: CGFloat, to root: CALayer) {
    let middle = top + height(of: row) / 2
    let variant = row.variant == "standard" ? "" : row.variant
    root.addSublayer(
      text(
        row.scene, size: 11.5, isBold: true, x: Metrics.margin, y: middle - 8, width: 110))
    root.addSublayer(
      text(
        variant, size: 10.5, color: Ink.faintText, alignment: .right, x: Metrics.margin + 100,
        y: middle - 7.5, width: Metrics.plotMinX - Metrics.margin - 116))
    var y = top + Metrics.rowPadding
    for (index, box) in row.boxes.enumerated() {
      y += gap(above: index, in: row)
      add(box, at: y, to: root)
      y += Metrics.lane
    }
  }

  private func add(_ box: Box, at top: CGFloat, to root: CALayer) {
    let series = series[box.series]
    let color = color(series)
    let (middle, half) = (top + Metrics.lane / 2, Metrics.lane / 2 - 3)
    let places = box.quantiles.map(x)

    let whiskers = CGMutablePath()
    whiskers.move(to: CGPoint(x: places[0], y: middle))
    whiskers.addLine(to: CGPoint(x: places[4], y: middle))
    for x in [places[0], places[4]] {
      whiskers.move(to: CGPoint(x: x, y: middle - half / 2))
      whiskers.addLine(to: CGPoint(x: x, y: middle + half / 2))
    }
    root.addSublayer(shape(whiskers, stroke: color, width: 1))
    // Quartiles that are nearly one still show the series' colour.
    let width = max(places[3] - places[1], 3)
    let quartiles = CGPath(
      roundedRect: CGRect(
        x: (places[1] + places[3] - width) / 2, y: middle - half, width: width, height: 2 * half),
      cornerWidth: 1.5, cornerHeight: 1.5, transform: nil)
    root.addSublayer(shape(quartiles, fill: color))
    let median = CGMutablePath()
    median.move(to: CGPoint(x: places[2], y: middle - half - 1.5))
    median.addLine(to: CGPoint(x: places[2], y: middle + half + 1.5))
    root.addSublayer(shape(median, stroke: Ink.text, width: 1.5))

    root.addSublayer(
      text(
        BenchScale.number(box.median), size: 10.5,
        color: series.isBefore ? Ink.faintText : Ink.text, alignment: .right,
        x: plotMaxX, y: middle - 7, width: medianMaxX - plotMaxX))
    guard isCompared, !series.isBefore else { return }
    let (words, ink) = box.comparison.map(verdict) ?? ("new", Ink.faintText)
    root.addSublayer(
      text(
        words, size: 10.5, color: ink, isBold: ink != Ink.faintText,
        x: verdictMinX, y: middle - 7, width: Metrics.width - verdictMinX))
  }

  private func verdict(_ comparison: BenchComparison) -> (words: String, color: CGColor) {
    let ratio = String(format: "%.2f", comparison.ratio)
    switch comparison.verdict {
    case .slower: return ("\(ratio) slower", Ink.slower)
    case .faster: return ("\(ratio) faster", Ink.faster)
    case .level: return ("\(ratio) level", Ink.faintText)
    case .few: return ("too few rounds", Ink.faintText)
    }
  }

  private func addFooter(to root: CALayer) {
    let lines = [
      "Box: the middle half of the samples. Black line: the median. Whiskers: from 5 to 95 %.",
      remark,
    ]
    for (index, line) in lines.enumerated() where !line.isEmpty {
      root.addSublayer(
        text(
          line, size: 10, color: Ink.faintText, x: Metrics.margin,
          y: size.height - Metrics.footer + 24 + CGFloat(index) * 15,
          width: Metrics.width - 2 * Metrics.margin))
    }
  }

  // MARK: Layers

  private func shape(
    _ path: CGPath, fill: CGColor? = nil, stroke: CGColor? = nil, width: CGFloat = 0
  ) -> CAShapeLayer {
    let shape = CAShapeLayer()
    shape.path = path
    (shape.fillColor, shape.strokeColor, shape.lineWidth) = (fill, stroke, width)
    return shape
  }

  private func text(
    _ string: String, size: CGFloat, color: CGColor = Ink.text, isBold: Bool = false,
    alignment: CATextLayerAlignmentMode = .left, x: CGFloat, y: CGFloat, width: CGFloat
  ) -> CATextLayer {
    let text = CATextLayer()
    text.string = string
    text.font = isBold ? "DejaVuSans-Bold" : "DejaVuSans"
    text.fontSize = size
    text.foregroundColor = color
    text.alignmentMode = alignment
    text.truncationMode = .end
    text.contentsScale = Self.pixelsPerPoint
    text.frame = CGRect(x: x, y: y, width: width, height: (size * 1.4).rounded(.up))
    return text
  }
}
