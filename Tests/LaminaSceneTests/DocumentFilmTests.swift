import Foundation
import Lamina
import LaminaCAML
import LaminaInProcess
import TestSupport
import Testing

/// Animated documents, compared with what their numbers say.
@Suite("Films of documents") struct DocumentFilmTests {
  /// A document of 100 × 100 around a layer "#1" in its middle.
  private func document(_ content: String, states: String = "") throws -> CAMLDocument {
    let text = """
      <caml xmlns="http://www.apple.com/CoreAnimation/1.0">
      <CALayer bounds="0 0 100 100"><sublayers>
      <CALayer id="#1" bounds="0 0 20 20" position="50 50" backgroundColor="1 0 0">
      \(content)</CALayer></sublayers>\(states)</CALayer></caml>
      """
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("DocumentFilmTests-\(UUID().uuidString).caml")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try CAMLDocument(contentsOf: file) { Issue.record("\($0)") }
  }

  private func renderer(_ document: CAMLDocument) throws -> (CARenderer, CALayer) {
    let renderer = try CARenderer(size: document.size, server: .inProcess.on(.surfaceless))
    document.rootLayer.position = CGPoint(x: 50, y: 50)
    renderer.layer = document.rootLayer
    return (renderer, try #require(document.rootLayer.sublayers?[0].sublayers?[0]))
  }

  /// The values of a key path on screen at some times.
  private func film(
    _ document: CAMLDocument, _ keyPath: String, at times: [Double]
  ) throws -> [Double] {
    let (renderer, layer) = try renderer(document)
    // Begin times count from the first frame.
    _ = try renderer.image(at: 0)
    return try times.map { time in
      _ = try renderer.image(at: time)
      let value = try #require(layer.presentation()).value(forKeyPath: keyPath)
      return try #require((value as? NSNumber)?.doubleValue ?? (value as? CGFloat).map(Double.init))
    }
  }

  @Test("Two angles repeat without end from a begin of next to nothing")
  func spinning() throws {
    let document = try document(
      """
      <animations><animation type="CAKeyframeAnimation" keyPath="transform.rotation.z" \
      beginTime="1e-100" duration="1" removedOnCompletion="0" repeatCount="inf" \
      repeatDuration="inf" calculationMode="linear">
      <values><real value="3"/><integer value="0"/></values></animation></animations>
      """)
    expectClose(
      try film(document, "transform.rotation.z", at: [0, 0.25, 0.9, 1, 7.5]),
      [3, 2.25, 0.3, 3, 1.5])
  }

  @Test("Paced by distance through all keys, whatever their times, on a curve and at a speed")
  func pacedCubic() throws {
    let document = try document(
      """
      <animations><animation type="CAKeyframeAnimation" calculationMode="cubicPaced" \
      keyPath="position.x" beginTime="1e-100" duration="2" fillMode="both" \
      removedOnCompletion="0" repeatCount="inf" speed="0.5" timingFunction="0 0 0.5 0">
      <keyTimes><integer value="0"/><real value="0.5"/><integer value="1"/></keyTimes>
      <values><real value="10"/><real value="70"/><real value="50"/></values>
      </animation></animations>
      """)
    // A run takes 4 seconds. At parameter s of the timing curve, time is s² (1.5 − 0.5 s) of the
    // run and progress is s³. Distances of 60 and 20 put the middle key at three quarters, where
    // the mean of both tangents, 20, is stretched by 1.5 and by 0.5.
    func position(_ s: Double) -> Double {
      let progress = s * s * s
      let isFirst = progress < 0.75
      let t = isFirst ? progress / 0.75 : (progress - 0.75) * 4
      let (start, end, leaving, coming) =
        isFirst ? (10.0, 70.0, 60.0, 30.0) : (70.0, 50.0, 10.0, -20.0)
      let (t2, t3) = (t * t, t * t * t)
      return (2 * t3 - 3 * t2 + 1) * start + (t3 - 2 * t2 + t) * leaving
        + (3 * t2 - 2 * t3) * end + (t3 - t2) * coming
    }
    let parameters = [0.2, 0.5, 0.8, 0.95]
    let times = parameters.map { 4 * $0 * $0 * (1.5 - 0.5 * $0) }
    expectClose(try film(document, "position.x", at: times), parameters.map(position))
    expectClose(try film(document, "position.x", at: [8 + times[1]]), [position(0.5)])
  }

  @Test("There and back, later, from within, and as long as it fills")
  func timing() throws {
    let document = try document(
      """
      <animations><animation type="CABasicAnimation" keyPath="opacity" beginTime="1" \
      duration="2" speed="2" autoreverses="1" repeatCount="1.5" fillMode="both" \
      removedOnCompletion="0"><fromValue type="real" value="0.2"/><toValue type="real" value="1"/>
      </animation></animations>
      """)
    // A run is 1 second there and 1 second back; one and a half runs take 3 seconds, from 1 to 4.
    expectClose(
      try film(document, "opacity", at: [0.5, 1, 1.25, 2, 2.75, 3.5, 4, 9]),
      [0.2, 0.2, 0.4, 1, 0.4, 0.6, 1, 1])
  }

  @Test("A state's transition moves what it names from where it is on screen")
  func states() throws {
    let document = try document(
      """
      <animations><animation type="CABasicAnimation" keyPath="position.y" duration="4">
      <fromValue type="real" value="30"/><toValue type="real" value="70"/></animation></animations>
      """,
      states: """
        <states><LKState name="Locked"><elements>
        <LKStateSetValue targetId="#1" keyPath="position.x"><value type="integer" value="90"/>
        </LKStateSetValue></elements></LKState></states>
        <stateTransitions><LKStateTransition fromState="*" toState="Locked"><elements>
        <LKStateTransitionElement targetId="#1" key="position.x"><animation \
        type="CASpringAnimation" mass="1" stiffness="100" damping="20" duration="1" \
        fillMode="backwards"/></LKStateTransitionElement></elements></LKStateTransition>
        </stateTransitions>
        """)
    let (renderer, layer) = try renderer(document)
    _ = try renderer.image(at: 0)
    _ = try renderer.image(at: 1)
    try document.apply(state: "Locked", transitionSpeed: 1)
    for (time, progress) in [(1, 0), (1.1, 1 - 2 * exp(-1)), (1.5, 1 - 6 * exp(-5)), (3, 1.0)] {
      _ = try renderer.image(at: time)
      let shown = try #require(layer.presentation()).position
      expectClose([shown.x, shown.y], [50 + 40 * progress, 30 + 10 * time])
    }
  }
}
