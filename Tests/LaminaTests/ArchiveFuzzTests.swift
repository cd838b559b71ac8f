import Foundation
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

/// Archives other objects in place of a few.
private final class Tampering: NSObject, NSKeyedArchiverDelegate {
  private var random: SeededGenerator
  private var isRoot = true

  init(seed: Int) { random = SeededGenerator(seed: seed) }

  func archiver(_ archiver: NSKeyedArchiver, willEncode object: Any) -> Any? {
    defer { isRoot = false }
    return !isRoot && Int.random(in: 0..<40, using: &random) == 0 ? other() : object
  }

  // Foundation's protocol has no defaults on Linux.
  func archiver(_ archiver: NSKeyedArchiver, didEncode object: Any?) {}
  func archiver(_ archiver: NSKeyedArchiver, willReplace object: Any?, withObject newObject: Any?) {
  }
  func archiverWillFinish(_ archiver: NSKeyedArchiver) {}
  func archiverDidFinish(_ archiver: NSKeyedArchiver) {}

  /// An object of a random kind that archives hold, with extreme values.
  private func other() -> NSObject {
    switch Int.random(in: 0..<19, using: &random) {
    case 0: NSNumber(value: Double.nan)
    case 1: NSNumber(value: Double.infinity)
    case 2: NSNumber(value: -1e300)
    case 3: NSNumber(value: Int64.min)
    case 4: NSString(string: "transform")
    case 5: NSString(string: "")
    case 6: NSArray(array: [NSNumber(value: 1), NSNull()])
    case 7: NSArray(array: [])
    case 8: NSNull()
    case 9: NSData(data: Data([0x89, 0x50, 0x4e, 0x47, 0]))
    case 10: ArchivedDictionary(["cornerRadius": NSString(string: "round")])
    case 11: CAShapeLayer()
    case 12: CABasicAnimation(keyPath: "opacity")
    case 13: CAMediaTimingFunction(controlPoints: 0, .nan, 1, .infinity)
    case 14: ArchivedStructure(.rect, [1, .infinity, -1e300, 0])
    case 15: ArchivedStructure(.transform, Array(repeating: 1e300, count: 16))
    case 16: ArchivedColor(CGColor(red: -1e300, green: .nan, blue: 0, alpha: 2))
    case 17: ArchivedArray([NSNumber(value: -1), ArchivedArray([])])
    default: ArchivedPath(Path([.close, .line(CGPoint(x: 1e300, y: 0))]))
    }
  }
}

@Suite("Archives that were tampered with") struct ArchiveFuzzTests {
  private func tree() throws -> CALayer {
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 20, height: 20)
    root.layoutManager = CAConstraintLayoutManager()
    root.setValue(["a": 1, "b": [CGSize(width: 1, height: 2)]] as [String: Any], forKey: "mine")
    for number in 0..<4 {
      let layer = number % 2 == 0 ? CALayer() : CAShapeLayer()
      layer.name = "layer \(number)"
      layer.frame = CGRect(x: number * 4, y: 2, width: 8, height: 9)
      layer.backgroundColor = CGColor(red: 0.5, green: 0.25, blue: 1, alpha: 1)
      layer.transform = CATransform3DMakeRotation(0.5, 1, 1, 0)
      layer.cornerRadius = 2
      layer.style = ["borderWidth": 2]
      layer.contents = try CGImage(
        width: 1, height: 1, unpremultipliedRGBA: [255, 0, UInt8(number), 128])
      (layer as? CAShapeLayer)?.path = CGPath(ellipseIn: layer.bounds, transform: nil)
      layer.addConstraint(
        CAConstraint(attribute: .minY, relativeTo: "layer 0", attribute: .maxY, offset: 1))
      let path = CAKeyframeAnimation(keyPath: "position")
      path.values = [CGPoint.zero, CGPoint(x: 9, y: 9)]
      path.timingFunctions = [CAMediaTimingFunction(name: .easeIn)]
      let group = CAAnimationGroup()
      group.animations = [path, CASpringAnimation(perceptualDuration: 1, bounce: 0.2)]
      layer.add(group, forKey: "group")
      root.addSublayer(layer)
      if number == 2 { root.mask = layer }
    }
    return root
  }

  /// Draws the layer that was read; the render process must accept it.
  private func draw(_ layer: CALayer) throws {
    let renderer = try CARenderer(
      size: CGSize(width: 20, height: 20), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    let image = try renderer.image(at: 0.1)
    #expect(image.width == 20)
  }

  @Test("Objects in the place of others are refused, or left out, or fit", arguments: 0..<60)
  func objects(seed: Int) throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    let tampering = Tampering(seed: seed)
    archiver.delegate = tampering
    archiver.encode(try tree(), forKey: NSKeyedArchiveRootObjectKey)
    let data = archiver.encodedData
    let layer = try? NSKeyedUnarchiver.unarchivedObject(ofClass: CALayer.self, from: data)
    if let layer { try draw(layer) }
  }

  // Objects keep their classes and places: if these are damaged, Foundation's unarchiver itself
  // ends the process.
  @Test("Numbers, names and keys in the place of others are refused or fit", arguments: 0..<60)
  func members(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.outputFormat = .xml
    archiver.encode(try tree(), forKey: NSKeyedArchiveRootObjectKey)
    var lines = String(decoding: archiver.encodedData, as: UTF8.self)
      .split(separator: "\n").map { String($0) }
    let numbers = ["nan", "inf", "-1e300", "1e19", "-1", "0.5", "4294967296"]
    let names = ["", "bounds", "name", "resize", "sRGB", "0"]
    for place in lines.indices where Int.random(in: 0..<100, using: &random) == 0 {
      let line = lines[place].trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("<real>") {
        lines[place] = "<real>\(numbers.randomElement(using: &random) ?? "")</real>"
      } else if line.hasPrefix("<string>"), !line.contains("Lamina."), !line.contains("NS"),
        !line.contains("$")
      {
        lines[place] = "<string>\(names.randomElement(using: &random) ?? "")</string>"
      } else if line.hasPrefix("<key>"), !line.contains("NS"), !line.contains("$"),
        !line.contains("root")
      {
        lines[place] = "<key>another</key>"
      }
    }
    let data = Data(lines.joined(separator: "\n").utf8)
    let layer = try? NSKeyedUnarchiver.unarchivedObject(ofClass: CALayer.self, from: data)
    if let layer { try draw(layer) }
  }

  @Test("An archive that ends early is refused", arguments: [0, 1, 100, 2000, -33, -1])
  func truncation(length: Int) throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: try tree(), requiringSecureCoding: true)
    let part = data.prefix(length < 0 ? data.count + length : length)
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CALayer.self, from: part)
    }
  }
}
