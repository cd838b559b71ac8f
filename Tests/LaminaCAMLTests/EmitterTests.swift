import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("Emitters in documents")
struct EmitterTests {
  private let documents: TemporaryDocuments
  private let warnings = Warnings()

  init() throws { documents = try TemporaryDocuments() }

  private func emitter(_ attributes: String = "", _ content: String) throws -> CAEmitterLayer {
    let layer = try documents.root(
      "<CAEmitterLayer bounds=\"0 0 9 9\" \(attributes)>\(content)</CAEmitterLayer>",
      warnings: warnings)
    return try #require(layer as? CAEmitterLayer)
  }

  @Test("Layers and cells have the attributes of their names, and cells their own cells")
  func attributes() throws {
    let layer = try emitter(
      """
      birthRate="1.5" lifetime="0.61" velocity="2.2" emitterShape="rectangle" emitterMode="points" \
      emitterSize="200 5000" emitterDepth="3" emitterPosition="1 2" renderMode="additive" seed="7" \
      preservesDepth="1" spinBias="1.06"
      """,
      """
      <emitterCells><CAEmitterCell name="Cell 1" beginTime="-15" fillMode="both" birthRate="0.009" \
      lifetime="inf" lifetimeRange="1" emissionRange="1.39626" orientationRange="1.8" \
      particleType="plane" rotationRange="0.4" contentsRect="0 0 1 0.5" yAcceleration="255" \
      alphaSpeed="-0.3" contentsFrameCount="1" contentsFrameMode="single">
      <color opacity="0.5" value="1 0 0"/>
      <emitterCells><CAEmitterCell name="inner" scale="3" enabled="0"/></emitterCells>
      </CAEmitterCell></emitterCells>
      """)
    #expect(warnings.all.isEmpty)
    #expect(layer.birthRate == 1.5 && layer.lifetime == 0.61 && layer.velocity == 2.2)
    #expect(layer.emitterShape == .rectangle && layer.emitterMode == .points)
    #expect(layer.emitterSize == CGSize(width: 200, height: 5000) && layer.emitterDepth == 3)
    #expect(layer.renderMode == .additive && layer.seed == 7 && layer.preservesDepth)
    let cell = try #require(layer.emitterCells?.first)
    #expect(cell.name == "Cell 1" && cell.beginTime == -15 && cell.birthRate == 0.009)
    #expect(cell.lifetime == .infinity && cell.yAcceleration == 255 && cell.alphaSpeed == -0.3)
    #expect(cell.color == CGColor(red: 1, green: 0, blue: 0, alpha: 0.5))
    #expect(cell.value(forKey: "particleType") as? String == "plane")
    #expect(cell.emitterCells?.first?.scale == 3 && cell.emitterCells?.first?.isEnabled == false)
  }

  @Test("States and animations reach cells by their names")
  func keyPaths() throws {
    let layer = try emitter(
      "id=\"#1\"",
      """
      <emitterCells><CAEmitterCell name="a b" birthRate="1"/></emitterCells>
      <animations><animation key="k" type="CABasicAnimation" keyPath="emitterCells.a b.birthRate" \
      duration="2" fromValue="3"/></animations>
      <states><LKState name="Locked"><elements><LKStateSetValue targetId="#1" \
      keyPath="emitterCells.a b.birthRate"><value type="real" value="9"/></LKStateSetValue>
      </elements></LKState></states>
      """)
    #expect(warnings.all.isEmpty)
    #expect(layer.animationKeys() == ["k"])
    #expect(layer.states?.first?.elements.count == 1)
  }

  @Test(
    "What is unknown or senseless is one warning with its line",
    arguments: [
      "<emitterCells>\n<CAEmitterCell wobble=\"1\"/></emitterCells>",
      "<emitterCells>\n<CAEmitterCell birthRate=\"nan\"/></emitterCells>",
      "<emitterCells>\n<CAEmitterCell birthRate=\"much\"/></emitterCells>",
      "<emitterCells>\n<CAEmitterCell particleType=\"blob\"/></emitterCells>",
      "<emitterCells>\n<CAEmitterCell><wobble/></CAEmitterCell></emitterCells>",
      "<emitterCells>\n<CAEmitterCell contentsFrameCount=\"8\"/></emitterCells>",
      "<emitterCells>\n<CALayer/></emitterCells>",
      "<emitterBehaviors>\n<CAEmitterBehavior type=\"light\" range=\"3\"/></emitterBehaviors>",
      "<emitterBehaviors>\n<CAEmitterBehavior type=\"attractor\"/></emitterBehaviors>",
      """
      <emitterBehaviors>
      <CAEmitterBehavior type="attractor" stiffness="3" radius="200"/></emitterBehaviors>
      """,
      "<emitterBehaviors>\n<CALayer/></emitterBehaviors>",
    ])
  func unknownNames(content: String) throws {
    _ = try emitter("", content)
    #expect(warnings.all.map(\.location.line) == [4])
  }
}
