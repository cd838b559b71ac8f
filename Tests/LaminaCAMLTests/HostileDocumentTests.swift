import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("Documents that ask for too much")
struct HostileDocumentTests {
  private let documents: TemporaryDocuments
  private let warnings = Warnings()

  init() throws { documents = try TemporaryDocuments() }

  @Test("Of 200,000 unknown attributes twenty are named, and the rest are counted")
  func unknownAttributes() throws {
    let attributes = (0..<1000).map { "x\($0)=\"1\"" }.joined(separator: " ")
    let layers = String(repeating: "<CALayer \(attributes)/>\n", count: 1)
    let others = (0..<199).map { layer in
      "<CALayer " + (0..<1000).map { "y\(layer)z\($0)=\"1\"" }.joined(separator: " ") + "/>\n"
    }
    let document = try documents.document(
      "<CALayer bounds=\"0 0 9 9\"><sublayers>\(layers)\(others.joined())</sublayers></CALayer>",
      warnings: warnings)
    #expect(document.content.root.sublayers?.count == 200)
    #expect(warnings.all.count == 21)
    #expect(warnings.messages[0] == "unknown attribute x0 of CALayer")
    #expect(warnings.messages[20].hasPrefix("and 199980 more such as: unknown attribute x"))
    #expect(warnings.all[20].location.line == 3)
  }

  @Test("Whatever is wrong, and however often, it takes no more than a screen to say")
  func manyKinds() throws {
    let layer = """
      <CALayer a="1" opacity="b"><c/><contents type="CGImage" src="d"/><filters><e/></filters>
      <animations><f/><animation type="CABasicAnimation" keyPath="g"/><animation \
      type="CABasicAnimation" keyPath="opacity" h="1" duration="i"><j/></animation></animations>
      <mask/><states><k/><LKState/><LKState name="l"><elements><m/><LKStateSetValue targetId="n" \
      keyPath="o"/></elements></LKState></states></CALayer>
      """
    let layers = (0..<300).map { number in
      // Different names each time.
      layer.replacingOccurrences(of: "=\"", with: "=\"\(number == 0 ? "" : "\(number)")")
        .replacingOccurrences(of: " type=\"\(number)", with: " type=\"")
    }
    _ = try documents.document(
      "<CALayer bounds=\"0 0 9 9\"><sublayers>\(layers.joined())</sublayers></CALayer>",
      warnings: warnings)
    #expect((20...40).contains(warnings.all.count))
    #expect(warnings.messages.last?.hasPrefix("and ") == true)
    #expect(warnings.messages.allSatisfy { $0.count < 400 })
  }

  @Test("A message is given once, and then a number with the line where it came again")
  func repeatedMessages() throws {
    let layer = "<CALayer wobble=\"1\"/>\n"
    _ = try documents.document(
      "<CALayer bounds=\"0 0 9 9\"><sublayers>\n\(layer)\(layer)\(layer)</sublayers></CALayer>",
      warnings: warnings)
    #expect(
      warnings.messages == [
        "unknown attribute wobble of CALayer",
        "and 2 more such as: unknown attribute wobble of CALayer",
      ])
    #expect(warnings.all.map(\.location.line) == [4, 5])
  }

  @Test("A missing image is one warning, however often it is shown, and the rest is there")
  func missingImages() throws {
    let layer = "<CALayer><contents type=\"CGImage\" src=\"assets/a.png\"/></CALayer>"
    let document = try documents.document(
      """
      <CALayer bounds="0 0 9 9"><sublayers>\(String(repeating: layer, count: 50))</sublayers>
      </CALayer>
      """, warnings: warnings)
    #expect(document.content.root.sublayers?.count == 50)
    #expect(warnings.messages == ["no file \"assets/a.png\" in the bundle"])
  }

  @Test(
    "No element that nothing is made of goes without one warning that names it",
    arguments: [
      "<sublayers><CALayer><wobble/></CALayer></sublayers>",
      "<sublayers><wobble><inner/></wobble></sublayers>",
      "<backgroundColor value=\"1 0 0\"><wobble/></backgroundColor>",
      "<backgroundColor><CGColor value=\"1 0 0\"/><wobble/></backgroundColor>",
      "<mask><CALayer/><wobble/></mask>",
      "<contents type=\"CGImage\" src=\"a.png\"><wobble/></contents>",
      "<filters><CAFilter filter=\"gaussianBlur\"><inputRadius type=\"real\" value=\"1\"><wobble/>"
        + "</inputRadius></CAFilter></filters>",
      "<animations><wobble><inner/></wobble></animations>",
      "<animations><animation type=\"CAWobble\"><wobble/></animation></animations>",
      "<animations><animation type=\"CABasicAnimation\" keyPath=\"opacity\"><wobble/></animation>"
        + "</animations>",
      "<animations><animation type=\"CABasicAnimation\" keyPath=\"opacity\"><toValue type=\"real\" "
        + "value=\"1\"><wobble/></toValue></animation></animations>",
      "<animations><animation type=\"CAAnimationGroup\"><animations><wobble/></animations>"
        + "</animation></animations>",
      "<states><wobble/></states>", "<states><LKState name=\"A\"><wobble/></LKState></states>",
      "<states><LKState name=\"A\"><elements><wobble/></elements></LKState></states>",
      "<states><LKState name=\"A\"><elements><LKStateSetValue targetId=\"#1\" keyPath=\"opacity\">"
        + "<value type=\"real\" value=\"1\"/><wobble/></LKStateSetValue></elements></LKState>"
        + "</states>",
      "<stateTransitions><wobble/></stateTransitions>",
      "<stateTransitions><LKStateTransition fromState=\"*\" toState=\"*\"><wobble/>"
        + "</LKStateTransition></stateTransitions>",
      "<stateTransitions><LKStateTransition fromState=\"*\" toState=\"*\"><elements>"
        + "<LKStateTransitionElement targetId=\"#1\" key=\"opacity\"><animation "
        + "type=\"CASpringAnimation\"/><wobble/></LKStateTransitionElement></elements>"
        + "</LKStateTransition></stateTransitions>",
    ])
  func unknownElements(content: String) throws {
    try documents.write(try TemporaryDocuments.png(), to: "a.png")
    _ = try documents.document(
      "<CALayer id=\"#1\" bounds=\"0 0 9 9\">\n\(content)</CALayer>", warnings: warnings)
    #expect(warnings.all.count == 1)
    #expect(warnings.messages.first?.lowercased().contains("wobble") == true)
    #expect(warnings.all.first?.location.line == 4)
  }

  @Test("Images that take more memory than a document may have are left out, the rest is shown")
  func imageMemory() throws {
    let png = try TemporaryDocuments.png(width: 16, height: 16)
    for name in ["a", "b", "c", "d"] { try documents.write(png, to: "\(name).png") }
    let layers = ["a", "b", "c", "d"].map {
      "<CALayer><contents type=\"CGImage\" src=\"\($0).png\"/></CALayer>"
    }
    let url = try documents.write(
      TemporaryDocuments.caml(
        "<CALayer bounds=\"0 0 9 9\"><sublayers>\(layers.joined(separator: "\n"))</sublayers></CALayer>"
      ),
      to: "document.caml")
    let file = try CAMLDocument.withLog(warnings.add) { log throws(CAMLError) in
      try DocumentFile(file: url, limits: ReadingLimits(log: log, imageBytes: 2500))
    }
    #expect(file.root.sublayers?.map { $0.contents == nil } == [false, false, true, true])
    #expect(warnings.all.map(\.location.line) == [5, 6])
    #expect(warnings.messages.allSatisfy { $0.contains("16x16 pixels") })
  }

  @Test("A document may be larger than ten million bytes, but no value in it")
  func largeDocuments() throws {
    let name = String(repeating: "x", count: 3_000_000)
    let layer = "<CALayer name=\"\(name)\"/>\n"
    let document = try documents.document(
      "<CALayer bounds=\"0 0 9 9\"><sublayers>\(layer)\(layer)\(layer)\(layer)</sublayers></CALayer>",
      warnings: warnings)
    #expect(document.content.root.sublayers?.map(\.name) == [name, name, name, name])
    #expect(warnings.messages == [])
    let error = try #require(throws: CAMLError.self) {
      try documents.document(
        "<CALayer bounds=\"0 0 9 9\"\nname=\"\(String(repeating: name, count: 4))\"/>")
    }
    #expect(error.message.contains("ten million"))
    #expect(error.location.line > 0)
  }

  @Test("Layers deeper than a document can nest are an error that names the limit")
  func tooDeep() throws {
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: 9, height: 9)
    var layer = root
    for _ in 0..<300 {
      let inner = CALayer()
      layer.addSublayer(inner)
      layer = inner
    }
    let error = try #require(throws: CAMLError.self) {
      try CAMLWriter(layer: root).writeBundle(to: documents.folder.appendingPathComponent("a.ca"))
    }
    #expect(error.code == .unwritable)
    #expect(error.message.contains("\(DocumentElements.maximumDepth) layers"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: documents.folder.path).isEmpty)
  }
}
