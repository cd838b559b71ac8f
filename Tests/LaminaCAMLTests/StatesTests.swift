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

  // MARK: Transitions

  private func transition(_ from: String, _ to: String, _ elements: String) -> String {
    """
    <LKStateTransition fromState="\(from)" toState="\(to)"><elements>\(elements)</elements>\
    </LKStateTransition>
    """
  }

  /// A document with the states A, where x is 10, and B, where the opacity is 0.
  private func document(transitions: String) throws -> (CAMLDocument, CALayer) {
    let document = try documents.document(
      """
      <CALayer bounds="0 0 9 9"><sublayers><CALayer id="#1" position="1 2"/></sublayers>
      <states>\(state("A", set("#1", "position.x", "integer", "10"))
        + state("B", set("#1", "opacity", "integer", "0")))</states>
      <stateTransitions>\(transitions)</stateTransitions></CALayer>
      """, warnings: warnings)
    return (document, try #require(document.rootLayer.sublayers?[0].sublayers?[0]))
  }

  @Test("A state is animated by the document's transition, from what was to what is set")
  func animated() throws {
    let (document, layer) = try document(
      transitions: transition(
        "*", "A",
        """
        <LKStateTransitionElement final="false" targetId="#1" key="position.x"><animation \
        type="CASpringAnimation" damping="50" mass="2" stiffness="300" velocity="0" \
        keyPath="position.x" duration="0.8" fillMode="backwards" speed="0.5"/>
        </LKStateTransitionElement>
        """)
        + transition(
          "A", "*",
          """
          <LKStateTransitionElement targetId="#1" keyPath="opacity"><animation \
          type="CABasicAnimation" duration="2" timingFunction="easeIn"/></LKStateTransitionElement>
          """))
    try document.apply(state: "A", transitionSpeed: 3)
    #expect(layer.position == CGPoint(x: 10, y: 2))
    let spring = try #require(layer.animation(forKey: "position.x") as? CASpringAnimation)
    #expect((spring.fromValue as? NSNumber)?.doubleValue == 1)
    #expect((spring.mass, spring.stiffness, spring.damping) == (2, 300, 50))
    #expect((spring.duration, spring.speed, spring.fillMode) == (0.8, 1.5, .backwards))
    try document.apply(state: "B", transitionSpeed: 1)
    let fade = try #require(layer.animation(forKey: "opacity") as? CABasicAnimation)
    #expect(fade.keyPath == "opacity")
    #expect(fade.fromValue as? NSNumber == 1)
    #expect(fade.timingFunction == CAMediaTimingFunction(name: .easeIn))
    try document.apply(states: [])
    #expect(layer.animationKeys() == nil)
    #expect(layer.opacity == 1)
    #expect(warnings.all.isEmpty)
  }

  @Test("Transitions share elements by reference")
  func shared() throws {
    let (document, layer) = try document(
      transitions: transition(
        "*", "B",
        """
        <LKStateTransitionElement id="#9" targetId="#1" key="opacity"><animation \
        type="CABasicAnimation" duration="2"/></LKStateTransitionElement>
        """) + transition("B", "*", "<LKStateTransitionElement object=\"#9\"/>"))
    for name in ["B", "A"] {
      try document.apply(state: name, transitionSpeed: 1)
      #expect(layer.animation(forKey: "opacity")?.duration == 2)
      try document.apply(state: name)
      #expect(layer.animationKeys() == nil)
    }
    #expect(warnings.all.isEmpty)
  }

  @Test("A state that stays set is not animated again")
  func staying() throws {
    let (document, layer) = try document(
      transitions: transition(
        "*", "*",
        """
        <LKStateTransitionElement targetId="#1" key="opacity"><animation \
        type="CABasicAnimation" duration="2"/></LKStateTransitionElement>
        """))
    try document.apply(state: "A")
    try document.apply(state: "A", transitionSpeed: 1)
    #expect(layer.animationKeys() == nil)
    try document.apply(states: ["A", "B"], transitionSpeed: 1)
    #expect(layer.animationKeys() == ["opacity"])
  }

  @Test("Transitions of filters are passed over, and what cannot be animated is a warning")
  func unanimatable() throws {
    let animation = "<animation type=\"CABasicAnimation\"/>"
    func element(_ attributes: String, _ content: String) -> String {
      "<LKStateTransitionElement \(attributes)>\(content)</LKStateTransitionElement>"
    }
    let (document, layer) = try document(
      transitions: transition(
        "*", "A",
        element("targetId=\"#1\" key=\"filters.colorMatrix.inputColorMatrix\"", animation)
          + element("targetId=\"#7\" key=\"opacity\"", animation)
          + element("targetId=\"#1\" key=\"wobble\"", animation)
          + element("targetId=\"#1\"", animation) + element("targetId=\"#1\" key=\"opacity\"", "")
          + "<LKStateTransitionElement object=\"#8\"/><LKWobble/>")
        + "<LKStateTransition toState=\"A\"/>")
    #expect(warnings.all.count == 7)
    try document.apply(state: "A", transitionSpeed: 1)
    #expect(layer.animationKeys() == nil)
  }
}
