import Foundation
import Lamina

/// The images and the fonts of files of a document that is being written, and their names in its
/// folder of assets.
final class DocumentAssets {
  /// Where images that were read from a document came from.
  private let sources: [CGImage: BundleFiles.Source]
  /// The images in the order in which the document names them.
  private(set) var images: [(image: CGImage, name: String)] = []
  private var names: [CGImage: String] = [:]
  /// The fonts' files, in the order in which the document names them.
  private(set) var fonts: [(data: Data, name: String)] = []
  private var fontNames: [CGFont: String] = [:]
  /// The videos' files, in the order in which the document names them.
  private(set) var videos: [(file: URL, name: String)] = []
  private var taken: Set<String> = []
  /// How often each name was wanted.
  private var counts: [String: Int] = [:]

  static let folder = "assets"

  init(sources: [CGImage: BundleFiles.Source]) { self.sources = sources }

  /// The percent-encoded path of the image in the bundle.
  func path(of image: CGImage) -> String {
    Self.path(names[image] ?? add(image))
  }

  /// The percent-encoded path in the bundle of a font whose file is `data`.
  func path(of font: CGFont, _ data: Data) -> String {
    if let name = fontNames[font] { return Self.path(name) }
    let name = freeName(for: "font.\(Self.fontFormat(of: data))")
    fontNames[font] = name
    fonts.append((data, name))
    return Self.path(name)
  }

  /// The percent-encoded path of a video in the bundle.
  func path(of video: CAMLVideo) -> String {
    if let known = videos.first(where: { $0.file == video.url }) { return Self.path(known.name) }
    let wanted = video.url.lastPathComponent
    let name = freeName(for: CAMLElement.canContain(wanted) ? wanted : "video.mp4")
    videos.append((video.url, name))
    return Self.path(name)
  }

  private static func path(_ name: String) -> String {
    let encoded = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    return "\(folder)/\(encoded)"
  }

  /// A `data:` URI of a font's file.
  static func dataURI(ofFont data: Data) -> String {
    let format = fontFormat(of: data)
    return "data:font/\(format == "ttc" ? "collection" : format);base64,"
      + data.base64EncodedString()
  }

  private static func fontFormat(of data: Data) -> String {
    if data.starts(with: Array("OTTO".utf8)) { return "otf" }
    if data.starts(with: Array("ttcf".utf8)) { return "ttc" }
    return "ttf"
  }

  /// A `data:` URI with the image's bytes.
  func dataURI(of image: CGImage) throws(ImageError) -> String {
    let bytes = try bytes(of: image)
    let type = Self.format(of: bytes).type
    return "data:\(type);base64,\(bytes.base64EncodedString())"
  }

  /// The bytes that the image was read from, or else a PNG.
  func bytes(of image: CGImage) throws(ImageError) -> Data {
    switch sources[image] {
    case .data(let data): return data
    case .file(let url):
      if let data = try? Data(contentsOf: url) { return data }
    case nil: break
    }
    return try image.pngData()
  }

  private func add(_ image: CGImage) -> String {
    let name = freeName(for: wantedName(of: image))
    names[image] = name
    images.append((image, name))
    return name
  }

  /// Chooses a name that differs from all others, on disks that ignore case too.
  private func freeName(for wanted: String) -> String {
    let url = URL(fileURLWithPath: wanted)
    let suffix = url.pathExtension.isEmpty ? "" : ".\(url.pathExtension)"
    let stem = wanted.dropLast(suffix.count)
    var name = wanted
    while !taken.insert(name.lowercased()).inserted {
      let number = counts[wanted, default: 1] + 1
      counts[wanted] = number
      name = "\(stem)-\(number)\(suffix)"
    }
    return name
  }

  private func wantedName(of image: CGImage) -> String {
    switch sources[image] {
    case .file(let url) where CAMLElement.canContain(url.lastPathComponent): url.lastPathComponent
    case .data(let data): "image.\(Self.format(of: data).suffix)"
    default: "image.png"
    }
  }

  private static func format(of data: Data) -> (suffix: String, type: String) {
    if data.starts(with: [0xff, 0xd8]) { return ("jpg", "image/jpeg") }
    if data.starts(with: Array("RIFF".utf8)) { return ("webp", "image/webp") }
    return ("png", "image/png")
  }
}
