import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("States")
struct StatesTests {
  private let documents: TemporaryDocuments
  private let warnings = Warnings()

  init() throws { documents = try TemporaryDocuments() }

  private func set(_ id: String, _ keyPath: String, _ type: String, _ value: String) -> String {
    """
    <LKStateSetValue targetId="\(id)" keyPath="\(keyPath)"><value type="\(type)" value="\(value)"/>\
    </LKStateSetValue>
    """
  }

  private func state(_ name: String, basedOn: String? = nil, _ values: String) -> String {
    let base = basedOn.map { " basedOn=\"\($0)\"" } ?? ""
    return "<LKState name=\"\(name)\"\(base)><elements>\(values)</elements></LKState>"
  }

  private func document(_ states: String) throws -> (CAMLDocument, CALayer) {
    let document = try documents.document(
      """
      <CALayer bounds="0 0 9 9"><sublayers><CALayer id="#1" position="1 2"/></sublayers>
      <states>\(states)</states></CALayer>
      """, warnings: warnings)
    return (document, try #require(document.rootLayer.sublayers?[0].sublayers?[0]))
  }

  @Test("A state sets its values, and the next one starts from the document again")
  func setting() throws {
    let (document, layer) = try document(
      state("A", set("#1", "position.x", "integer", "10") + set("#1", "opacity", "real", "0.5"))
        + state("B", set("#1", "position.y", "real", "20")))
    #expect(document.stateNames == ["A", "B"])
    try document.apply(state: "A")
    #expect(layer.position == CGPoint(x: 10, y: 2))
    #expect(layer.opacity == 0.5)
    try document.apply(state: "B")
    #expect(layer.position == CGPoint(x: 1, y: 20))
    #expect(layer.opacity == 1)
    try document.apply(states: ["A", "B"])
    #expect(layer.position == CGPoint(x: 10, y: 20))
    try document.apply(states: [])
    #expect(layer.position == CGPoint(x: 1, y: 2))
    #expect(warnings.all.isEmpty)
  }

  @Test("A state comes after what it is based on, also where that runs in a circle")
  func basedOn() throws {
    let (document, layer) = try document(
      state(
        "A",
        set("#1", "position.x", "integer", "10") + set("#1", "position.y", "integer", "10"))
        + state("B", basedOn: "A", set("#1", "position.y", "integer", "20"))
        + state("C", basedOn: "D", set("#1", "opacity", "integer", "0"))
        + state("D", basedOn: "C", "") + state("E", basedOn: "nothing", ""))
    try document.apply(state: "B")
    #expect(layer.position == CGPoint(x: 10, y: 20))
    try document.apply(state: "D")
    #expect(layer.opacity == 0)
    try document.apply(state: "E")
    #expect(layer.opacity == 1)
  }

  @Test("Transforms, colours and empty transforms can be set")
  func kinds() throws {
    let (document, layer) = try document(
      state(
        "A",
        set("#1", "transform", "CATransform3D", "scale(2, 2, 1)")
          + set("#1", "backgroundColor", "CGColor", "1 0 0"))
        + state("B", set("#1", "transform", "CATransform3D", ""))
        + state("C", set("#1", "transform.scale.xy", "real", "3")))
    try document.apply(state: "A")
    #expect(layer.transform.m11 == 2)
    #expect(layer.backgroundColor == CGColor(red: 1, green: 0, blue: 0, alpha: 1))
    try document.apply(states: ["A", "B"])
    #expect(layer.transform == CATransform3DIdentity)
    try document.apply(state: "C")
    #expect(abs(layer.transform.m11 - 3) < 1e-12)
    #expect(abs(layer.transform.m33 - 1) < 1e-12)
    #expect(layer.backgroundColor == nil)
    #expect(warnings.all.isEmpty)
  }

  @Test("An unknown state is an error that names the known ones")
  func unknown() throws {
    let (document, _) = try document(state("Locked", "") + state("Sleep", ""))
    let error = try #require(throws: CAMLError.self) { try document.apply(state: "Lokced") }
    #expect(error.code == .unknownState)
    #expect(error.message.contains("\"Locked\", \"Sleep\""))
  }

  @Test("Values that cannot be set are warnings")
  func unsettable() throws {
    _ = try document(
      state(
        "A",
        set("#9", "opacity", "real", "1") + set("#1", "wobble", "real", "1")
          + set("#1", "opacity", "CGPoint", "1 1") + set("#1", "opacity", "real", "inf")
          + "<LKWobble/>"))
    #expect(warnings.all.count == 5)
  }
}
