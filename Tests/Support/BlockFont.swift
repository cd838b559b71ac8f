import Foundation

/// A TrueType font made for tests: each character is a block, so that text has a known width and
/// its ink begins and ends where pixels do.
///
/// An em is 1000 units; lines reach 800 above the baseline and 200 below it. Lower-case Latin
/// letters are blocks 1000 wide and 800 high that stand on the baseline, capitals 500 high; Hebrew
/// letters are 1000 wide and 300 high, the ellipsis 1000 wide and 100 high, and a space is 1000
/// wide. U+1F600 is a red block over a blue one, whatever the text's colour, and U+6F22 is a block
/// as high as the line.
public enum BlockFont {
  private struct Glyph {
    var characters: [UInt32]
    var bottom: Int16 = 0
    var top: Int16
  }

  private static let glyphs: [Glyph] = [
    Glyph(characters: [], top: 600),
    Glyph(characters: [0x20, 0xa0], top: 0),
    Glyph(characters: Array(0x61...0x7a), top: 800),
    Glyph(characters: Array(0x41...0x5a), top: 500),
    Glyph(characters: Array(0x5d0...0x5ea), top: 300),
    Glyph(characters: [0x2026], top: 100),
    Glyph(characters: [0x1f600], top: 800),
    Glyph(characters: [0x6f22], bottom: -200, top: 800),
    // The lower and upper half of U+1F600.
    Glyph(characters: [], top: 400),
    Glyph(characters: [], bottom: 400, top: 800),
  ]

  /// The font's file. `family` is the name that the file itself gives.
  public static func file(family: String = "Lamina Blocks") -> Data {
    var loca: [UInt8] = []
    var glyf: [UInt8] = []
    for glyph in glyphs {
      loca += bytes(UInt32(glyf.count))
      glyf += outline(glyph)
    }
    loca += bytes(UInt32(glyf.count))
    let tables: [(String, [UInt8])] = [
      ("COLR", colorLayers), ("CPAL", palette), ("OS/2", os2), ("cmap", characterMap),
      ("glyf", glyf), ("head", head), ("hhea", hhea),
      ("hmtx", glyphs.flatMap { _ in bytes(UInt16(1000)) + bytes(Int16(0)) }), ("loca", loca),
      ("maxp", maxp), ("name", names(family)), ("post", bytes(UInt32(0x30000)) + zeros(28)),
    ]
    var directory = bytes(UInt32(0x10000)) + bytes(UInt16(tables.count)) + zeros(6)
    var content: [UInt8] = []
    let start = directory.count + 16 * tables.count
    for (tag, table) in tables {
      directory += Array(tag.utf8) + zeros(4) + bytes(UInt32(start + content.count))
      directory += bytes(UInt32(table.count))
      content += table + zeros((4 - table.count % 4) % 4)
    }
    return Data(directory + content)
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static func outline(_ glyph: Glyph) -> [UInt8] {
    guard glyph.top > glyph.bottom else { return [] }
    let height = glyph.top - glyph.bottom
    var data = bytes(Int16(1))
    for edge in [0, glyph.bottom, 1000, glyph.top] as [Int16] { data += bytes(edge) }
    data += bytes(UInt16(3)) + bytes(UInt16(0)) + [1, 1, 1, 1]
    for step in [0, 0, 1000, 0] as [Int16] { data += bytes(step) }
    for step in [glyph.bottom, height, 0, -height] as [Int16] { data += bytes(step) }
    return data + zeros((4 - data.count % 4) % 4)
  }

  /// The glyphs, in the order of their characters.
  private static var characterMap: [UInt8] {
    let pairs = glyphs.enumerated().flatMap { number, glyph in
      glyph.characters.map { ($0, UInt32(number)) }
    }.sorted { $0.0 < $1.0 }
    let groups = pairs.flatMap { bytes($0.0) + bytes($0.0) + bytes($0.1) }
    return bytes(UInt16(0)) + bytes(UInt16(1)) + bytes(UInt16(3)) + bytes(UInt16(10))
      + bytes(UInt32(12)) + bytes(UInt16(12)) + bytes(UInt16(0)) + bytes(UInt32(16 + groups.count))
      + bytes(UInt32(0)) + bytes(UInt32(pairs.count)) + groups
  }

  private static var colorLayers: [UInt8] {
    let layers: [UInt16] = [8, 0, 9, 1]
    return bytes(UInt16(0)) + bytes(UInt16(1)) + bytes(UInt32(14)) + bytes(UInt32(20))
      + bytes(UInt16(2)) + [6, 0, 2].flatMap { bytes(UInt16($0)) } + layers.flatMap { bytes($0) }
  }

  private static var palette: [UInt8] {
    let blueGreenRedAlpha: [UInt8] = [255, 0, 0, 255, 0, 0, 255, 255]
    return bytes(UInt16(0)) + bytes(UInt16(2)) + bytes(UInt16(1)) + bytes(UInt16(2))
      + bytes(UInt32(14)) + bytes(UInt16(0)) + blueGreenRedAlpha
  }

  private static var head: [UInt8] {
    var data = bytes(UInt32(0x10000)) + bytes(UInt32(0x10000)) + zeros(4)
    data += bytes(UInt32(0x5f0f_3cf5)) + bytes(UInt16(3)) + bytes(UInt16(1000)) + zeros(16)
    for edge in [0, -200, 1000, 800] as [Int16] { data += bytes(edge) }
    // The last but one says that `loca` has 32-bit offsets.
    return data + bytes(UInt16(0)) + bytes(UInt16(8)) + bytes(Int16(2)) + bytes(Int16(1)) + zeros(2)
  }

  private static var hhea: [UInt8] {
    bytes(UInt32(0x10000)) + bytes(Int16(800)) + bytes(Int16(-200)) + bytes(Int16(0))
      + bytes(UInt16(1000)) + zeros(6) + bytes(Int16(1)) + zeros(14) + bytes(UInt16(glyphs.count))
  }

  private static var maxp: [UInt8] {
    bytes(UInt32(0x10000)) + bytes(UInt16(glyphs.count)) + bytes(UInt16(4)) + bytes(UInt16(1))
      + zeros(4) + bytes(UInt16(2)) + zeros(16)
  }

  private static var os2: [UInt8] {
    bytes(UInt16(0)) + bytes(Int16(1000)) + bytes(UInt16(400)) + bytes(UInt16(5)) + zeros(24)
      + zeros(10) + zeros(16) + Array("NONE".utf8) + bytes(UInt16(0x40)) + bytes(UInt16(0x20))
      + bytes(UInt16(0xffff)) + bytes(Int16(800)) + bytes(Int16(-200)) + bytes(Int16(0))
      + bytes(UInt16(800)) + bytes(UInt16(200))
  }

  private static func names(_ family: String) -> [UInt8] {
    let names: [(UInt16, String)] = [
      (1, family), (2, "Regular"), (4, family), (6, family.filter { $0 != " " }),
    ]
    var (records, text): ([UInt8], [UInt8]) = ([], [])
    for (id, name) in names {
      let units = name.utf16.flatMap { bytes($0) }
      for number in [3, 1, 0x409, id, UInt16(units.count), UInt16(text.count)] {
        records += bytes(number)
      }
      text += units
    }
    return bytes(UInt16(0)) + bytes(UInt16(names.count)) + bytes(UInt16(6 + records.count))
      + records
      + text
  }
}
