import Foundation
import LaminaValues

/// An emitter cell as plain data: what its particles look like, and how they move.
package struct EmitterCellValues: Hashable, Sendable {
  package var name: String?
  package var isEnabled = true
  package var timing = MediaTiming(duration: .infinity)

  /// Particles a second, and seconds that they last.
  package var birthRate = 0.0
  package var lifetime = 0.0
  package var lifetimeRange = 0.0
  /// Angles in radians.
  package var emissionLatitude = 0.0
  package var emissionLongitude = 0.0
  package var emissionRange = 0.0
  package var velocity = 0.0
  package var velocityRange = 0.0
  package var xAcceleration = 0.0
  package var yAcceleration = 0.0
  package var zAcceleration = 0.0
  package var scale = 1.0
  package var scaleRange = 0.0
  package var scaleSpeed = 0.0
  /// Radians a second.
  package var spin = 0.0
  package var spinRange = 0.0

  package var color: CGColor? = .white
  package var redRange = 0.0
  package var greenRange = 0.0
  package var blueRange = 0.0
  package var alphaRange = 0.0
  package var redSpeed = 0.0
  package var greenSpeed = 0.0
  package var blueSpeed = 0.0
  package var alphaSpeed = 0.0

  package var contents: ImageID?
  package var contentsRect = CGRect(x: 0, y: 0, width: 1, height: 1)
  package var contentsScale = 1.0
  package var minificationFilter = ContentsFilter.linear
  package var magnificationFilter = ContentsFilter.linear
  package var minificationFilterBias = 0.0

  // What editors' files have besides: angles in radians.
  package var particleType = ParticleType.sprite
  /// The angle at birth.
  package var rotation = 0.0
  package var rotationRange = 0.0
  /// The direction of a plane's normal; 0 is towards the viewer.
  package var orientationLatitude = 0.0
  package var orientationLongitude = 0.0
  package var orientationRange = 0.0

  /// The cells that each particle emits.
  package var cells: [EmitterCellValues]?

  package init() {}

  /// The images of the cell's particles, and of those that they emit.
  package var imageIDs: [ImageID] {
    (contents.map { [$0] } ?? []) + (cells ?? []).flatMap(\.imageIDs)
  }

  /// The number of cells, those in cells included.
  package var count: Int { 1 + (cells ?? []).reduce(0) { $0 + $1.count } }
}

/// A property of an emitter cell. The raw value is its key in key-value coding and in documents.
package enum EmitterCellProperty: String, Sendable, CaseIterable {
  case name, enabled
  case beginTime, duration, speed, timeOffset, repeatCount, repeatDuration, autoreverses, fillMode
  case birthRate, lifetime, lifetimeRange
  case emissionLatitude, emissionLongitude, emissionRange, velocity, velocityRange
  case xAcceleration, yAcceleration, zAcceleration, scale, scaleRange, scaleSpeed, spin, spinRange
  case color, redRange, greenRange, blueRange, alphaRange
  case redSpeed, greenSpeed, blueSpeed, alphaSpeed
  case contents, contentsRect, contentsScale
  case minificationFilter, magnificationFilter, minificationFilterBias
  case particleType, rotation, rotationRange
  case orientationLatitude, orientationLongitude, orientationRange
  case emitterCells

  private typealias Cell = EmitterCellValues
  package typealias NumberPath = WritableKeyPath<EmitterCellValues, Double> & Sendable

  /// The field of a property that is a number; nil for any other. Only this names such fields.
  package var number: NumberPath? {
    switch self {
    case .beginTime: return \Cell.timing.beginTime
    case .duration: return \Cell.timing.duration
    case .speed: return \Cell.timing.speed
    case .timeOffset: return \Cell.timing.timeOffset
    case .repeatCount: return \Cell.timing.repeatCount
    case .repeatDuration: return \Cell.timing.repeatDuration
    case .birthRate: return \Cell.birthRate
    case .lifetime: return \Cell.lifetime
    case .lifetimeRange: return \Cell.lifetimeRange
    case .emissionLatitude: return \Cell.emissionLatitude
    case .emissionLongitude: return \Cell.emissionLongitude
    case .emissionRange: return \Cell.emissionRange
    case .velocity: return \Cell.velocity
    case .velocityRange: return \Cell.velocityRange
    case .xAcceleration: return \Cell.xAcceleration
    case .yAcceleration: return \Cell.yAcceleration
    case .zAcceleration: return \Cell.zAcceleration
    case .scale: return \Cell.scale
    case .scaleRange: return \Cell.scaleRange
    case .scaleSpeed: return \Cell.scaleSpeed
    case .spin: return \Cell.spin
    case .spinRange: return \Cell.spinRange
    case .redRange: return \Cell.redRange
    case .greenRange: return \Cell.greenRange
    case .blueRange: return \Cell.blueRange
    case .alphaRange: return \Cell.alphaRange
    case .redSpeed: return \Cell.redSpeed
    case .greenSpeed: return \Cell.greenSpeed
    case .blueSpeed: return \Cell.blueSpeed
    case .alphaSpeed: return \Cell.alphaSpeed
    case .contentsScale: return \Cell.contentsScale
    case .minificationFilterBias: return \Cell.minificationFilterBias
    case .rotation: return \Cell.rotation
    case .rotationRange: return \Cell.rotationRange
    case .orientationLatitude: return \Cell.orientationLatitude
    case .orientationLongitude: return \Cell.orientationLongitude
    case .orientationRange: return \Cell.orientationRange
    case .name, .enabled, .autoreverses, .fillMode, .color, .contents, .contentsRect,
      .minificationFilter, .magnificationFilter, .particleType, .emitterCells:
      return nil
    }
  }

  /// The fields that are numbers, in the order in which they cross the process boundary.
  package static let numbers: [NumberPath] = allCases.compactMap(\.number)
}

extension EmitterCellValues {
  package func value(of property: EmitterCellProperty) -> AnimationValue {
    if let number = property.number { return .number(self[keyPath: number]) }
    switch property {
    case .name: return name.map { .string($0) } ?? .none
    case .enabled: return .number(isEnabled ? 1 : 0)
    case .autoreverses: return .number(timing.autoreverses ? 1 : 0)
    case .fillMode: return .string(timing.fillMode.rawValue)
    case .color: return color.map { .color($0) } ?? .none
    case .contents: return contents.map { .image($0) } ?? .none
    case .contentsRect: return .rect(contentsRect)
    case .minificationFilter: return .string(minificationFilter.rawValue)
    case .magnificationFilter: return .string(magnificationFilter.rawValue)
    case .particleType: return .string(particleType.rawValue)
    case .emitterCells: return cells.map { .array($0.map { .cell($0) }) } ?? .none
    default: return .none
    }
  }

  /// Sets a property from a value of its type. For a value that it cannot have, changes nothing and
  /// returns false.
  @discardableResult
  package mutating func set(_ property: EmitterCellProperty, to value: AnimationValue) -> Bool {
    if let path = property.number {
      guard case .number(let number) = value, !number.isNaN else { return false }
      self[keyPath: path] = number
      return true
    }
    switch (property, value) {
    case (.name, .none): name = nil
    case (.name, .string(let text)): name = text
    case (.enabled, .number(let number)): isEnabled = number != 0
    case (.autoreverses, .number(let number)): timing.autoreverses = number != 0
    case (.color, .none): color = nil
    case (.color, .color(let new)) where new.isFinite: color = new
    case (.contents, .none): contents = nil
    case (.contents, .image(let id)): contents = id
    case (.contentsRect, .rect(let rect)) where rect.isFinite: contentsRect = rect
    case (.emitterCells, .none): cells = nil
    case (.emitterCells, .array(let values)):
      let new = values.compactMap { if case .cell(let cell) = $0 { cell } else { nil } }
      guard new.count == values.count else { return false }
      cells = new
    case (_, .string(let text)): return setName(property, to: text)
    default: return false
    }
    return true
  }

  private mutating func setName(_ property: EmitterCellProperty, to text: String) -> Bool {
    switch property {
    case .fillMode:
      guard let mode = FillMode(rawValue: text) else { return false }
      timing.fillMode = mode
    case .minificationFilter:
      guard let filter = ContentsFilter(rawValue: text) else { return false }
      minificationFilter = filter
    case .magnificationFilter:
      guard let filter = ContentsFilter(rawValue: text) else { return false }
      magnificationFilter = filter
    case .particleType:
      guard let type = ParticleType(rawValue: text) else { return false }
      particleType = type
    default: return false
    }
    return true
  }
}

extension CGRect {
  fileprivate var isFinite: Bool {
    origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite
  }
}
