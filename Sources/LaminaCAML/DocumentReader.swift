import Foundation
import Lamina

/// Makes the layers of one document file. It leaves out content that it does not understand, and
/// reports it.
final class DocumentReader {
  let file: String
  let files: BundleFiles
  let limits: ReadingLimits

  /// The elements that `object="…"` and `targetId="…"` refer to: the first one with each ID.
  private(set) var elementsByID: [String: CAMLElement] = [:]
  var layers: [ObjectIdentifier: CALayer] = [:]
  /// Number of layers that are shown for a layer and those below it, with all copies; 1 for those
  /// without entries.
  var shownLayers: [ObjectIdentifier: Double] = [:]
  /// The elements whose objects are being made, so that a reference to one of them is a cycle.
  private var inProgress: Set<ObjectIdentifier> = []
  private var images: [String: CGImage?] = [:]
  /// The fonts of files, by `src`; nil for one that cannot be used.
  var fonts: [String: CGFont?] = [:]
  /// Where the images came from.
  private(set) var sources: [CGImage: BundleFiles.Source] = [:]
  /// The videos that layers show.
  var videos: [ObjectIdentifier: CAMLVideo] = [:]
  /// The first image or font that would be there if the process had more memory or descriptors. A
  /// document without it would be a wrong one.
  private(set) var failure: CAMLError?
  /// The number of values and animations that may still be made. Without a limit, references inside
  /// references could multiply endlessly.
  private var budget = 300_000

  init(
    root: CAMLElement, file: String, files: BundleFiles, limits: ReadingLimits
  ) {
    self.file = file
    self.files = files
    self.limits = limits
    for element in root.subtree {
      guard let id = element["id"], elementsByID[id] == nil else { continue }
      elementsByID[id] = element
    }
  }

  /// Warns about an element. Warnings of one place in the source are of one kind.
  func warn(
    _ element: CAMLElement, _ message: String, source: String = #fileID, line: UInt = #line
  ) {
    let location = noteMessage(about: element)
    limits.log.warn(message, at: location, kind: WarningLog.Kind(file: source, line: line))
  }

  /// Notes that there is no memory or no descriptor for something, which ends the reading.
  func fail(_ element: CAMLElement, _ message: String) {
    let location = noteMessage(about: element)
    if failure == nil { failure = CAMLError(.noResources, at: location, message) }
  }

  /// Notes that there is a message about an element. Returns the element's place.
  private func noteMessage(about element: CAMLElement) -> CAMLLocation {
    (element.isRead, element.hasWarning) = (true, true)
    return CAMLLocation(file: file, line: element.line, column: element.column)
  }

  /// Warns about each element that nothing was made of and that no warning has named. Called last.
  func warnAboutUnread(in root: CAMLElement) {
    root.isRead = true
    var rest = [root]
    while let element = rest.popLast() {
      let children = element.children.filter { !IgnoredNames.contains($0.name) }
      // A warning about an element of which no child was read is about all that is in it.
      let isLeftOut =
        element.isLeftOut || element.hasWarning && children.allSatisfy { !$0.isRead }
      guard !isLeftOut else { continue }
      for child in children where !child.isRead {
        warn(child, "unknown element <\(child.name)> in <\(element.name)>")
        child.isLeftOut = true
      }
      rest += children.reversed()
    }
  }

  /// `element` itself, or the element that it refers to; nil, with a warning, if that does not
  /// exist.
  func resolve(_ element: CAMLElement) -> CAMLElement? {
    element.isRead = true
    guard let id = element.reference else { return element }
    guard let target = elementsByID[id] else {
      warn(element, "nothing in the document has the id \"\(id)\"")
      return nil
    }
    target.isRead = true
    return target
  }

  /// Calls `make` for the object of `element`. nil, with a warning, if that object is being made
  /// already or there are too many.
  func making<Object>(_ element: CAMLElement, _ make: () -> Object?) -> Object? {
    budget -= 1
    guard budget > 0 else {
      if budget == 0 { warn(element, "too many objects: all from here on are left out") }
      return nil
    }
    guard inProgress.count < CAMLXMLReader.maximumDepth else {
      warn(element, "references nest deeper than \(CAMLXMLReader.maximumDepth)")
      return nil
    }
    guard inProgress.insert(ObjectIdentifier(element)).inserted else {
      warn(element, "<\(element.name)> contains itself")
      return nil
    }
    defer { inProgress.remove(ObjectIdentifier(element)) }
    return make()
  }

  /// The image that `src` names; nil, with a warning the first time, if it cannot be read.
  func image(_ src: String, at element: CAMLElement) -> CGImage? {
    if let known = images[src] { return known }
    let image = readImage(src, at: element)
    images[src] = .some(image)
    return image
  }

  private func readImage(_ src: String, at element: CAMLElement) -> CGImage? {
    do throws(BundleFiles.Refusal) {
      let source = try files.source(src)
      do throws(ImageError) {
        let image = try Self.image(source, limits: limits.imageLimits)
        limits.noteImage(image)
        sources[image] = source
        return image
      } catch {
        if error.problem.isOfResources {
          fail(element, "\(error)")
        } else {
          warn(element, limits.refusal(error) ?? "\(error)")
        }
      }
    } catch {
      warn(element, error.message)
    }
    return nil
  }

  private static func image(
    _ source: BundleFiles.Source, limits: ImageLimits
  ) throws(ImageError) -> CGImage {
    switch source {
    case .file(let url): try CGImage(contentsOf: url, limits: limits, wants16Bits: true)
    case .data(let data):
      try CGImage(data: data, named: "a data: URI", limits: limits, wants16Bits: true)
    }
  }
}

extension DocumentReader {
  /// Reads a value in either form: `<x type="real" value="1"/>` or `<x><real value="1"/></x>`, or
  /// just `<real value="1"/>`; without a type it is read as `kind`. nil, with a warning, if it is
  /// not a value.
  func value(_ element: CAMLElement, as kind: CAMLKind?) -> CAMLValue? {
    guard let element = resolve(element) else { return nil }
    return making(element) {
      if let type = element["type"] { return typedValue(element, type: type) }
      if Self.valueTypes.contains(element.name) { return typedValue(element, type: element.name) }
      if kind == .colors || kind == .numbers, element["value"] == nil {
        return array(element)
      }
      if let child = element.children.first, element["value"] == nil {
        return value(child, as: kind)
      }
      return untypedValue(element, as: kind)
    }
  }

  private static let valueTypes: Set<String> = [
    "null", "real", "integer", "float", "double", "boolean", "bool", "string", "NSNumber",
    "NSString", "CGPoint", "CGSize", "CGRect", "CGColor", "CGPath", "CGImage", "CATransform3D",
    "CAColorMatrix", "NSArray", "array",
  ]

  private func untypedValue(_ element: CAMLElement, as kind: CAMLKind?) -> CAMLValue? {
    let text = element["value"] ?? element["d"] ?? element["src"] ?? element.text
    switch kind {
    case .color: return typedValue(element, type: "CGColor")
    case .image: return typedValue(element, type: "CGImage")
    case .some(let kind):
      if let value = kind.value(from: text) { return value }
      warn(element, "<\(element.name)> is not \(kind.name)")
    case nil:
      if let number = CAMLText.anyNumber(text) { return .number(number) }
      warn(element, "<\(element.name)> has no type")
    }
    return nil
  }

  private func typedValue(_ element: CAMLElement, type: String) -> CAMLValue? {
    let text = element["value"] ?? element.text
    let value: CAMLValue?
    switch type {
    case "null": value = .null
    case "real", "integer", "float", "double", "NSNumber":
      value = CAMLText.anyNumber(text).map { .number($0) }
    case "boolean", "bool": value = CAMLText.bool(text).map { .bool($0) }
    case "string", "NSString": value = .string(text)
    case "CGPoint": value = CAMLText.point(text).map { .point($0) }
    case "CGSize": value = CAMLText.size(text).map { .size($0) }
    case "CGRect": value = CAMLText.rect(text).map { .rect($0) }
    case "CGColor":
      let opacity = element["opacity"].map { CAMLText.number($0) ?? 1 }
      value = CAMLText.color(text, opacity: opacity, space: element["colorSpace"])
        .map { .color($0) }
    case "CATransform3D": value = CAMLText.transform(text).map { .transform($0) }
    case "CAColorMatrix": value = CAMLKind.numbers.value(from: text)
    case "CGPath": return path(element["d"] ?? text, at: element)
    case "CGImage": return imageValue(element)
    case "NSArray", "array": return array(element)
    default:
      warn(element, "a value of the type \(type) is left out")
      return nil
    }
    if value == nil {
      let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
      warn(element, "\"\(shown)\" is no \(type)")
    }
    return value
  }

  private func path(_ data: String, at element: CAMLElement) -> CAMLValue? {
    do {
      return .path(CGPath(try Path(svgPathData: data)))
    } catch {
      warn(element, "\(error)")
      return nil
    }
  }

  private func array(_ element: CAMLElement) -> CAMLValue {
    .array(element.children.compactMap { value($0, as: nil) })
  }

  private func imageValue(_ element: CAMLElement) -> CAMLValue? {
    if let src = element["src"] { return image(src, at: element).map { .image($0) } }
    if let child = element.children.first { return value(child, as: .image) }
    warn(element, "an image without src")
    return nil
  }
}
