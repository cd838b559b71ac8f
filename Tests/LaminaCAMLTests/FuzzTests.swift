import Foundation
import Lamina
import TestSupport
import Testing

@testable import LaminaCAML

@Suite("Documents that were tampered with")
struct FuzzTests {
  private static let document = TemporaryDocuments.caml(
    """
    <CALayer id="#0" bounds="0 0 390 844" position="195 422" geometryFlipped="1" name="Root">
      <sublayers>
        <CALayer id="#1" bounds="0 -28 520 5.63e2" transform="rotate(30deg, 0, 1, 0) scale(2, 2, 1)" \
    transform.rotation.z="0" opacity="0.5" zPosition="442">
          <contents type="CGImage" src="assets/a%20b.png"/>
          <backgroundColor opacity="0.5" value="1 0 0.5"/>
          <animations>
            <animation type="CAKeyframeAnimation" keyPath="position.x" beginTime="1e-100" \
    duration="2" repeatCount="inf" timingFunction="0.7 0.1 0.4 0.7">
              <keyTimes><integer value="0"/><real value="1"/></keyTimes>
              <values><real value="379.8"/><real value="340.4"/></values>
            </animation>
            <spin type="CAAnimationGroup" duration="3"><animations>
              <animation type="CASpringAnimation" keyPath="opacity" mass="2" damping="30">
                <toValue type="real" value="3"/></animation></animations></spin>
          </animations>
          <mask type="CAShapeLayer"><path type="CGPath" d="M0 0 L1 2 Q3 4 5 6 C1 2 3 4 5 6 Z"/>
          </mask>
        </CALayer>
        <CALayer object="#1"/>
        <CAEmitterLayer birthRate="1"><emitterCells><CAEmitterCell/></emitterCells></CAEmitterLayer>
      </sublayers>
      <states><LKState name="A" basedOn="B"><elements>
        <LKStateSetValue targetId="#1" keyPath="position.y"><value type="integer" value="3"/>
        </LKStateSetValue></elements></LKState><LKState name="B"/></states>
      <stateTransitions><LKStateTransition fromState="*" toState="A"><elements>
        <LKStateTransitionElement id="#5" targetId="#1" key="position.y">
          <animation type="CASpringAnimation" damping="50" duration="0.8"/>
        </LKStateTransitionElement></elements></LKStateTransition>
        <LKStateTransition fromState="A" toState="*"><elements>
          <LKStateTransitionElement object="#5"/></elements></LKStateTransition>
      </stateTransitions>
    </CALayer>
    """)

  private static let splices = [
    "inf", "nan", "-1e308", "1e999", "#0", "object=\"#0\"", "id=\"#1\"", "<CALayer>",
    "</sublayers>",
    "\0", "&#x10FFFF;", "%00", "../", "<mask object=\"#0\"/>", "9999999999999999999999", "é", "\"",
    "transform", "bounds", "CAShapeLayer", "<states>", "-", "deg)", "rotate(", "matrix(",
  ]

  @Test("None of 400 tampered documents traps, and errors have places", arguments: 0..<8)
  func mutations(seed: UInt64) throws {
    let documents = try TemporaryDocuments()
    try documents.write(try TemporaryDocuments.png(), to: "assets/a b.png")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var bytes = Array(Self.document.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        Self.mutate(&bytes, using: &generator)
      }
      let url = try documents.write(Data(bytes), to: "document.caml")
      do throws(CAMLError) {
        let document = try CAMLDocument(contentsOf: url)
        for name in document.stateNames {
          try document.apply(state: name, transitionSpeed: 1)
        }
        // Whatever was read can be written, as XML that can be read.
        let text = try CAMLWriter(document).fileText()
        _ = try CAMLXMLReader.read(Data(text.utf8), file: "written.caml")
      } catch {
        #expect(error.location.line >= 1)
        #expect(!error.description.contains("\n"))
      }
    }
  }

  private static func mutate(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let start = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[start] = UInt8.random(in: 0...255, using: &generator)
    case 1:
      let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
      bytes.removeSubrange(start..<end)
    case 2: bytes.removeLast(Int.random(in: 0..<bytes.count / 8 + 1, using: &generator))
    case 3:
      // Repeats a piece of the document elsewhere.
      let end = min(bytes.count, start + Int.random(in: 1...200, using: &generator))
      bytes.insert(
        contentsOf: bytes[start..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
    default:
      let splice = splices.randomElement(using: &generator) ?? ""
      // Mostly inside an attribute's value.
      let quote = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) ?? start
      bytes.insert(contentsOf: Array(splice.utf8), at: quote)
    }
  }
}
