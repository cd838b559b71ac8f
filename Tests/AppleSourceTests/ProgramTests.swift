import CoreGraphics
import CoreText
import Foundation
import ImageIO
import LaminaInProcess
import QuartzCore
import Testing

/// The programs in `AppleSources/Programs` use only Apple's names; these tests run them.
@Suite("Programs written for Apple's systems") struct ProgramTests {
  /// Straight red, green, blue and alpha of pixels from the top left, read as apps do it.
  private struct Picture {
    let width: Int
    let height: Int
    let bytes: [UInt8]

    init(_ image: CGImage) throws {
      let context = try #require(
        CGContext(
          data: nil, width: image.width, height: image.height, bitsPerComponent: 8,
          bytesPerRow: image.width * 4, space: image.colorSpace ?? CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
      context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
      let data = try #require(context.data)
      (width, height) = (image.width, image.height)
      bytes = Array(UnsafeRawBufferPointer(start: data, count: image.width * image.height * 4))
    }

    subscript(x: Int, y: Int) -> [UInt8] {
      let start = (y * width + x) * 4
      return Array(bytes[start..<start + 4])
    }

    func isNear(_ x: Int, _ y: Int, _ color: [UInt8], within tolerance: Int = 2) -> Bool {
      zip(self[x, y], color).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }

    /// The smallest rectangle, y up, around the pixels of a rectangle that are darker than `level`.
    func ink(in rect: CGRect, darkerThan level: UInt8) -> CGRect {
      var area = CGRectNull
      for y in Int(rect.minY)..<Int(rect.maxY) {
        for x in Int(rect.minX)..<Int(rect.maxX) where self[x, height - 1 - y][1] < level {
          area = area.union(CGRect(x: x, y: y, width: 1, height: 1))
        }
      }
      return area
    }
  }

  private let white: [UInt8] = [255, 255, 255, 255]

  /// The pictures of a layer at times, after `start` was called in the clock's task.
  private func film(
    _ layer: CALayer, _ size: CGSize, scale: CGFloat = 1, at times: [Double],
    _ look: (Int, Picture) throws -> Void, start: () -> Void = {}
  ) throws {
    let clock = MediaClock.manual(time: 10)
    try MediaClock.$current.withValue(clock) {
      let renderer = try CARenderer(
        size: size, scale: scale, clock: clock, server: .inProcess.on(.surfaceless))
      renderer.layer = layer
      start()
      for (index, time) in times.enumerated() {
        try look(index, Picture(renderer.image(at: 10 + time)))
      }
    }
  }

  @Test("Indicators rise, spin, pulse and fill")
  func indicators() throws {
    let indicators = IndicatorSet(side: 32)
    let blue: [UInt8] = [26, 128, 230, 255]
    try film(indicators.board, CGSize(width: 64, height: 64), at: [0, 0.25, 0.5, 1, 2.5]) {
      index, picture in
      let isFull = [false, false, true, false, true][index]
      #expect(picture.isNear(5, 5, isFull ? blue : white), "\(index): \(picture[5, 5])")
      #expect(picture.isNear(5, 26, blue))
      let turns: [CGFloat] = [0, .pi / 2, .pi, 0, .pi]
      #expect(abs(abs(indicators.turn) - turns[index]) < 1e-6, "\(index): \(indicators.turn)")
      let scales: [CGFloat] = [1, 1.3, 1.6, 1, 1.6]
      #expect(abs(indicators.dotScale.width - scales[index]) < 1e-3)
      // The arc is drawn half, and then whole.
      #expect(picture.isNear(57, 48, index >= 3 ? blue : white) || index == 1 || index == 2)
      #expect(picture.isNear(38, 48, index == 4 ? blue : white))
      if index == 0 {
        // The ring's colour begins below its right end and is strongest above it.
        #expect(picture[57, 18][0] > 200 && picture[57, 13][0] < 60)
      }
    }
  }

  @Test("A chart has bars of the right height, and text where it belongs")
  func chart() throws {
    let red = CGColor(red: 0.9, green: 0.2, blue: 0.1, alpha: 1)
    let chart = BarChart(
      title: "Pictures a day",
      note: "Counted by hand, on the days when there was somebody to count.",
      bars: [
        BarChart.Bar(name: "Mon", value: 120, color: red),
        BarChart.Bar(name: "Tue", value: 180, color: red),
        BarChart.Bar(name: "Wed", value: 45, color: red),
      ])
    let size = CGSize(width: 400, height: 240)
    let picture = try Picture(#require(chart.image(size: size)))
    for index in chart.bars.indices {
      let bar = chart.frame(ofBar: index, in: size)
      #expect(abs(bar.height - chart.plot(in: size).height * chart.bars[index].value / 200) < 1e-6)
      let x = Int(bar.midX)
      // The bar's top is strongest.
      #expect(picture.isNear(x, 240 - Int(bar.maxY) + 1, [230, 51, 26, 255], within: 8))
      #expect(picture.isNear(x, 240 - Int(bar.minY) - 2, [242, 153, 140, 255], within: 8))
      #expect(picture.isNear(Int(bar.minX) - 3, 240 - Int(bar.minY) - 9, white))
      // Its name and its value lie in its middle.
      for (y, height) in [(bar.minY - 20, 16.0), (bar.maxY + 3, 10)] {
        let ink = picture.ink(
          in: CGRect(x: bar.minX - 10, y: y, width: bar.width + 20, height: height),
          darkerThan: 140)
        #expect(!ink.isNull && abs(ink.midX - bar.midX) < 3, "\(index): \(ink)")
      }
    }
    let title = picture.ink(in: CGRect(x: 0, y: 206, width: 400, height: 34), darkerThan: 120)
    #expect(title.minX >= 19 && title.minX < 25 && title.width > 100)
    let box = chart.noteBox(in: size)
    let note = picture.ink(in: box.insetBy(dx: -10, dy: 0), darkerThan: 160)
    #expect(abs(note.midX - box.midX) < 6 && abs(note.midY - box.midY) < 8)
    #expect(note.height > 40 && note.width <= box.width)
  }

  @Test("A folder's images are on a sheet, each in its proportions")
  func thumbnails() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lamina-thumbnails-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let thumbnailer = Thumbnailer(side: 20, columns: 2)
    let samples: [(name: String, type: String, width: Int, height: Int, color: [CGFloat])] = [
      ("a.png", "public.png", 80, 40, [1, 0, 0]), ("b.jpg", "public.jpeg", 30, 60, [0, 0, 1]),
      ("c.webp", "org.webmproject.webp", 10, 10, [0, 1, 0]),
    ]
    for sample in samples {
      let context = try #require(
        CGContext(
          data: nil, width: sample.width, height: sample.height, bitsPerComponent: 8,
          bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
      context.setFillColor(
        red: sample.color[0], green: sample.color[1], blue: sample.color[2], alpha: 1)
      context.fill(CGRect(x: 0, y: 0, width: sample.width, height: sample.height))
      #expect(
        thumbnailer.write(
          try #require(context.makeImage()), to: folder.appendingPathComponent(sample.name),
          type: sample.type, quality: 1))
    }
    try Data("not an image".utf8).write(to: folder.appendingPathComponent("notes.txt"))
    let entries = thumbnailer.entries(in: folder)
    #expect(entries.map(\.name) == ["a.png", "b.jpg", "c.webp"])
    #expect(entries.map(\.type) == samples.map(\.type))
    #expect(entries.map(\.size) == samples.map { CGSize(width: $0.width, height: $0.height) })
    #expect(entries.map(\.thumbnail.width) == [20, 10, 10])
    #expect(entries.map(\.thumbnail.height) == [10, 20, 10])
    let sheet = try #require(thumbnailer.sheet(of: entries))
    let picture = try Picture(sheet)
    #expect((picture.width, picture.height) == (52, 52))
    let (frame, cell): ([UInt8], [UInt8]) = ([38, 38, 38, 255], [77, 77, 77, 255])
    #expect(picture.isNear(14, 14, [255, 0, 0, 255]) && picture.isNear(14, 6, cell))
    #expect(picture.isNear(38, 14, [0, 0, 255, 255], within: 4) && picture.isNear(30, 14, cell))
    #expect(picture.isNear(14, 38, [0, 255, 0, 255], within: 4) && picture.isNear(14, 30, cell))
    #expect(picture.isNear(38, 38, frame) && picture.isNear(1, 1, frame))
    let url = folder.appendingPathComponent("sheet.png")
    #expect(thumbnailer.write(sheet, to: url, type: "public.png", quality: 1))
    let again = try #require(
      CGImageSourceCreateWithURL(url as CFURL, nil).flatMap {
        CGImageSourceCreateImageAtIndex($0, 0, nil)
      })
    #expect(try Picture(again).bytes == picture.bytes)
  }

  @Test("Masks cut a picture out by brush, by shade and by colour")
  func masks() throws {
    let editor = MaskEditor(picture: try #require(MaskEditor.sample(side: 32)))
    editor.brush(at: CGPoint(x: 16, y: 16), radius: 12, shows: true)
    editor.brush(at: CGPoint(x: 16, y: 16), radius: 4, shows: false)
    let (red, blue): ([UInt8], [UInt8]) = ([230, 60, 40, 255], [40, 60, 230, 255])
    let (gray, black): ([UInt8], [UInt8]) = ([204, 204, 204, 255], [0, 0, 0, 255])
    let board = editor.board()
    try film(board, board.bounds.size, at: [0]) { _, picture in
      // A checkerboard of 8 points: gray where the sum of both indices is odd.
      #expect(picture[16, 7] == red && picture[16, 24] == blue)
      #expect(picture[15, 15] == white && picture[16, 15] == gray && picture[1, 1] == white)
      #expect(picture[1, 9] == gray)
      // From left to right more of it.
      #expect(picture[33, 1][1] > 200 && picture.isNear(62, 1, [4, 201, 4, 255], within: 6))
      #expect(picture.isNear(48, 8, [218, 132, 122, 255], within: 12), "\(picture[48, 8])")
      // Without its green.
      #expect(picture[80, 8] == red && picture[65, 1] == white && picture[64 + 9, 1] == gray)
      // The stencil, and the middle.
      #expect(picture[112, 7] == black && picture[112, 16] != black && picture[97, 1] == white)
      #expect(picture[144, 9] == red && picture[144, 22] == blue && picture[144, 3] != red)
    }
    // The brush's disc and ring are those of a path, but for its edges.
    let drawn = try #require(editor.silhouette(CGColor(gray: 0, alpha: 1)))
    let context = try #require(
      CGContext(
        data: nil, width: 32, height: 32, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    context.setShouldAntialias(false)
    context.addEllipse(in: CGRect(x: 4, y: 4, width: 24, height: 24))
    context.addEllipse(in: CGRect(x: 12, y: 12, width: 8, height: 8))
    context.fillPath(using: .evenOdd)
    let path = try Picture(#require(context.makeImage()))
    let differing = zip(try Picture(drawn).bytes, path.bytes).filter { $0 != $1 }.count
    #expect(differing < 16)
  }

  @Test("A word is written outline by outline, and is the word that Core Text draws")
  func glyphs() throws {
    let color = CGColor(red: 0.1, green: 0.2, blue: 0.6, alpha: 1)
    let animation = GlyphAnimation(
      "Lamina g", font: CTFontCreateWithName("DejaVu Sans" as CFString, 40, nil), color: color)
    #expect(animation.glyphLayers.count == 7)
    let bounds = animation.layer.bounds
    #expect(bounds.contains(animation.inkBounds) && animation.inkBounds.minY < animation.baseline)
    var ink: [Int] = []
    let still = try Picture(#require(animation.still(scale: 2)))
    let times = [0, 0.3, 1, animation.duration + 0.1]
    try film(
      animation.layer, bounds.size, scale: 2, at: times,
      { index, picture in
        ink.append(
          stride(from: 3, to: picture.bytes.count, by: 4).reduce(0) { $0 + Int(picture.bytes[$1]) })
        guard index == 3 else { return }
        #expect((picture.width, picture.height) == (still.width, still.height))
        let differences = zip(picture.bytes, still.bytes).map { abs(Int($0) - Int($1)) }
        let mean = Double(differences.reduce(0, +)) / Double(differences.count)
        #expect(mean < 1, "\(mean)")
        #expect(differences.count { $0 > 96 } < differences.count / 500)
      }, start: { animation.start() })
    #expect(ink[0] < ink[1] && ink[1] < ink[2] && ink[2] < ink[3] && ink[0] * 20 < ink[3])
  }

  private static let meadow = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Photos/meadow.png")

  @Test("A photograph in Display P3 becomes one in sRGB, by the matrix between the two")
  func photographs() throws {
    let file = try Data(contentsOf: Self.meadow)
    let output = NSMutableData()
    let report = try PhotoConverter().convert(file, to: "public.png", output: output)
    #expect((report.width, report.height) == (48, 32) && report.profile == "Wide test space")
    #expect(report.outOfGamut > 0.2 && report.outOfGamut < 0.9, "\(report.outOfGamut)")
    let source = try #require(CGImageSourceCreateWithData(file as CFData, nil))
    let photo = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(photo.colorSpace?.name == CGColorSpace.displayP3)
    let target = try #require(CGImageSourceCreateWithData(Data(referencing: output) as CFData, nil))
    let converted = try #require(CGImageSourceCreateImageAtIndex(target, 0, nil))
    #expect(converted.colorSpace?.name == CGColorSpace.sRGB)
    let (before, after) = (try Picture(photo), try Picture(converted))
    let sRGB = try #require(CGColorSpace(name: CGColorSpace.sRGB))
    let p3 = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    for (x, y) in [(2, 2), (34, 9), (10, 30), (40, 18), (20, 25)] {
      let components = before[x, y].map { CGFloat($0) / 255 }
      let color = CGColor(colorSpace: p3, components: components)?
        .converted(to: sRGB, intent: .relativeColorimetric, options: nil)
      let expected = try #require(color?.components).map { UInt8(($0 * 255).rounded()) }
      #expect(
        after.isNear(x, y, expected, within: 1), "\(before[x, y]): \(after[x, y]), not \(expected)")
      #expect(before[x, y] != after[x, y])
    }
    // A screen that shows Display P3 shows both, the one as wide as it is.
    let both = try Picture(PhotoConverter().comparison(photo))
    #expect(both[10, 30] == before[10, 30] && both[58, 30] != before[10, 30])
    // A layer shows the same colours as the converted file.
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 48, height: 32)
    layer.contents = photo
    try film(layer, layer.bounds.size, at: [0]) { _, picture in
      #expect(picture.bytes == after.bytes)
    }
    let small = NSMutableData()
    _ = try PhotoConverter(maximumSide: 12).convert(file, to: "public.jpeg", output: small)
    #expect(try CGImage(data: Data(referencing: small), named: "small").width == 12)
    #expect(throws: PhotoConverter.Failure.unreadable) {
      try PhotoConverter().convert(Data(), to: "public.png", output: NSMutableData())
    }
  }
}
