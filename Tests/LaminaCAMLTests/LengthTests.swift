import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("Lengths of documents")
struct LengthTests {
  private let documents: TemporaryDocuments

  init() throws { documents = try TemporaryDocuments() }

  private func last(_ layer: String, changes: [StateChange] = []) throws -> LastMotion? {
    try documents.document(layer).lastMotion(changes: changes)
  }

  private func length(_ layer: String, changes: [StateChange] = []) throws -> Double? {
    try last(layer, changes: changes)?.end
  }

  /// A layer, or one of a subclass, with an animation of these attributes.
  private func moving(
    _ timing: String, as kind: String = "CALayer", _ attributes: String = ""
  ) -> String {
    """
    <\(kind) bounds="0 0 9 9" \(attributes)><animations>\(animation(timing))</animations></\(kind)>
    """
  }

  private func animation(_ timing: String) -> String {
    """
    <animation type="CABasicAnimation" keyPath="opacity" \(timing)><toValue type="real" value="0"/>\
    </animation>
    """
  }

  private func around(
    _ inner: String, as kind: String = "CALayer", _ attributes: String = ""
  ) -> String {
    """
    <\(kind) bounds="0 0 9 9" \(attributes)><sublayers>\(inner)</sublayers></\(kind)>
    """
  }

  @Test("A document in which nothing moves has no length")
  func still() throws {
    #expect(try last("<CALayer bounds=\"0 0 9 9\"/>") == nil)
    #expect(try last(moving(#"beginTime="-5" duration="2""#)) == nil)
    #expect(try last(moving(#"duration="2" speed="0""#)) == nil)
    #expect(try last(moving(#"duration="inf""#)) == nil)
  }

  @Test(
    "A finite animation is counted to its end",
    arguments: [
      (#"duration="2""#, 2), (#"duration="2" beginTime="1.5""#, 3.5), (#""#, 0.25),
      (#"duration="2" speed="4""#, 0.5), (#"duration="2" speed="-4""#, 0.5),
      (#"duration="2" repeatCount="2.5""#, 5), (#"duration="2" autoreverses="1""#, 4),
      (#"duration="2" repeatDuration="3""#, 3), (#"duration="5000""#, 5000),
      (#"duration="2" beginTime="-1""#, 1), (#"duration="2" timeOffset="1""#, 2),
    ])
  func finite(timing: String, seconds: Double) throws {
    #expect(try length(moving(timing)) == seconds)
  }

  @Test(
    "One cycle stands for what repeats forever, or for more than an hour",
    arguments: [
      (#"duration="2" repeatCount="inf""#, 2),
      (#"duration="2" repeatCount="inf" autoreverses="1""#, 4),
      (#"duration="2" repeatDuration="inf""#, 2), (#"duration="2" repeatCount="1e38""#, 2),
      (#"duration="2" repeatCount="1801""#, 2), (#"duration="2" repeatCount="1800""#, 3600),
      (#"duration="2" repeatCount="inf" beginTime="3""#, 5),
      (#"duration="2" repeatCount="inf" beginTime="-3""#, 2),
    ])
  func endless(timing: String, seconds: Double) throws {
    #expect(try length(moving(timing)) == seconds)
  }

  @Test("The last animation of all counts, and its key and layer are named")
  func last() throws {
    let long = #"key="slow" duration="3" repeatCount="inf""#
    let motion = try last(
      around(moving(#"duration="2""#) + moving(long, as: "CALayer", #"name="disc""#)))
    #expect(
      motion == LastMotion(end: 3, cause: "one cycle of animation \"slow\" of CALayer \"disc\""))
    #expect(try last(moving(#"duration="2""#))?.cause == "opacity of CALayer")
  }

  @Test("The times of layers are those of the document, through all their ancestors")
  func layerTimes() throws {
    let quick = #"beginTime="1" speed="2""#
    // An animation without a begin begins with the document.
    #expect(try length(moving(#"duration="2""#, as: "CALayer", quick)) == 1)
    let inner = moving(#"beginTime="0.5" duration="2""#, as: "CALayer", quick)
    #expect(try length(inner) == 2.25)
    #expect(try length(around(inner, as: "CALayer", #"speed="0.5""#)) == 4.5)
    #expect(try length(around(inner, as: "CALayer", #"timeOffset="1""#)) == 1.25)
    #expect(try length(around(inner, as: "CALayer", #"speed="0""#)) == nil)
  }

  @Test("In a layer whose time runs backwards, a motion ends where it begins")
  func backwards() throws {
    let back = #"speed="-1" timeOffset="10""#
    let forever = #"beginTime="4" duration="2" repeatCount="inf""#
    #expect(try length(moving(#"beginTime="4" duration="2""#, as: "CALayer", back)) == 6)
    #expect(try length(moving(forever, as: "CALayer", back)) == 2)
  }

  @Test("Masks count as sublayers do")
  func masks() throws {
    let mask = moving(#"duration="2""#)
    #expect(try length("<CALayer bounds=\"0 0 9 9\"><mask>\(mask)</mask></CALayer>") == 2)
  }

  @Test("A group lasts as it says, or as its members do if it has no end")
  func groups() throws {
    func group(_ timing: String) -> String {
      """
      <CALayer bounds="0 0 9 9"><animations><animation type="CAAnimationGroup" \(timing)>\
      <animations>\(animation(#"beginTime="1" duration="2""#))</animations></animation></animations>\
      </CALayer>
      """
    }
    #expect(try length(group(#"duration="5""#)) == 5)
    #expect(try length(group(#"duration="5" repeatCount="inf" beginTime="1""#)) == 6)
    #expect(try length(group(#"duration="inf""#)) == 3)
    #expect(try length(group(#"duration="inf" speed="2""#)) == 1.5)
  }

  @Test("The last copy of a replicator is waited for, in nested ones too")
  func replicators() throws {
    let copies = #"instanceCount="5" instanceDelay="0.5""#
    let inner = moving(#"duration="1" repeatCount="inf""#)
    let ring = around(inner, as: "CAReplicatorLayer", copies)
    #expect(try length(ring) == 3)
    #expect(try length(around(ring, as: "CAReplicatorLayer", copies)) == 5)
    #expect(try length(around(ring, as: "CALayer", #"speed="2""#)) == 1.5)
    #expect(try length(around(inner, as: "CAReplicatorLayer", #"instanceCount="0""#)) == nil)
    // What the replicator does itself, its copies do at the same time.
    #expect(try length(moving(#"duration="2""#, as: "CAReplicatorLayer", copies)) == 2)
  }

  @Test("An emitter is watched for one life of its particles, or until the last one is gone")
  func emitters() throws {
    try documents.write(TemporaryDocuments.png(), to: "spark.png")
    func emitter(_ cell: String, _ layer: String = "") -> String {
      """
      <CAEmitterLayer bounds="0 0 9 9" \(layer)><emitterCells><CAEmitterCell \(cell)>\
      <contents type="CGImage" src="spark.png"/></CAEmitterCell></emitterCells></CAEmitterLayer>
      """
    }
    let cell = #"birthRate="5" lifetime="2" lifetimeRange="1""#
    #expect(
      try last(emitter(cell)) == LastMotion(end: 2.5, cause: "a particle's life in CAEmitterLayer"))
    #expect(try length(emitter(cell, #"beginTime="1" speed="0.5""#)) == 6)
    #expect(try length(emitter(cell + #" beginTime="-9""#)) == 2.5)
    #expect(
      try last(emitter(cell + #" beginTime="1" duration="3""#))
        == LastMotion(end: 6.5, cause: "the particles of CAEmitterLayer"))
    #expect(try length(emitter(#"birthRate="0" lifetime="2""#)) == nil)
  }

  /// A layer that moves for two seconds when the state B is set, and jumps to C.
  private static let states = """
    <CALayer bounds="0 0 9 9"><sublayers><CALayer id="#1" speed="2"/></sublayers>
    <states><LKState name="B"><elements><LKStateSetValue targetId="#1" keyPath="opacity">
    <value type="real" value="0"/></LKStateSetValue></elements></LKState><LKState name="C"/></states>
    <stateTransitions><LKStateTransition fromState="*" toState="B"><elements>
    <LKStateTransitionElement targetId="#1" key="opacity"><animation type="CABasicAnimation" \
    duration="2"/></LKStateTransitionElement></elements></LKStateTransition></stateTransitions>
    </CALayer>
    """

  @Test("A state that is set at a time lasts as its transition does, or a second without one")
  func states() throws {
    #expect(try length(Self.states) == nil)
    let b = StateChange(time: 3, names: ["B"])
    #expect(
      try last(Self.states, changes: [b])
        == LastMotion(end: 4, cause: "the transition to state B"))
    #expect(
      try last(Self.states, changes: [b, StateChange(time: 3.5, names: ["C"])])
        == LastMotion(end: 4.5, cause: "state C"))
    // What is set again has no transition.
    #expect(try length(Self.states, changes: [b, StateChange(time: 5, names: ["B"])]) == 6)
  }

  @Test(
    "Numbers without meaning give no length without meaning", arguments: ["nan", "inf", "1e308"])
  func strangeNumbers(number: String) throws {
    for key in ["beginTime", "duration", "speed", "timeOffset", "repeatCount", "repeatDuration"] {
      for (animation, layer) in [("\(key)=\"\(number)\"", ""), ("", "\(key)=\"\(number)\"")] {
        let document = around(
          moving(animation, as: "CALayer", layer), as: "CAReplicatorLayer",
          #"instanceCount="9" instanceDelay="\#(number)""#)
        let length = try length(document) ?? 0
        #expect(length.isFinite && length >= 0)
      }
    }
  }
}
