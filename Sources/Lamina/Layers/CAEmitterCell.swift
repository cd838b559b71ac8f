import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// The particles that a `CAEmitterLayer` emits: how many, where to, and what they look like.
///
/// The random part of a value is spread evenly over its range, from half of it below the value to
/// half of it above. Particles keep what they were born with.
///
/// A layer takes a copy of its cells' properties when its `emitterCells` are set. To change a cell
/// of a layer, set the layer's key path `emitterCells.NAME.birthRate`, for example, or its
/// `emitterCells` anew; such key paths can be animated.
///
/// A cell has a time of its own in that of its layer or, for a cell of a cell, of the particle that
/// emits it; it emits from its `beginTime` on for its `duration`.
open class CAEmitterCell: NSObject, NSSecureCoding, CAMediaTiming {
  /// All properties, without the cells that particles emit.
  private(set) var values = EmitterCellValues()
  /// The images of `contents`, which are kept with it.
  private(set) var image: CGImage?
  /// Values of keys that no class declares.
  private var undefinedValues: [String: Any] = [:]

  public override init() { super.init() }

  /// The name by which key paths reach the cell. Default: nil.
  open var name: String? {
    get { values.name }
    set { values.name = newValue }
  }

  /// Whether particles are emitted and drawn. Default: true.
  open var isEnabled: Bool {
    get { values.isEnabled }
    set { values.isEnabled = newValue }
  }

  /// The image of each particle; its middle lies where the particle is. Anything but a CGImage is
  /// refused with a warning. Without one, particles are not drawn. Default: nil.
  open var contents: Any? {
    get { image }
    set {
      let new = newValue as? CGImage
      guard new != nil || newValue == nil || newValue is NSNull else {
        return warn("contents of a CAEmitterCell cannot be of type \(type(of: newValue!))")
      }
      (image, values.contents) = (new, new?.id)
    }
  }

  /// The part of the image that is drawn, from 0 to 1 along each axis. Default: all of it.
  open var contentsRect: CGRect {
    get { values.contentsRect }
    set { store(.contentsRect, .rect(newValue)) }
  }

  /// The filter for images that are drawn smaller than they are. Default: "linear".
  open var minificationFilter: String {
    get { values.minificationFilter.rawValue }
    set { values.minificationFilter = CALayerContentsFilter(rawValue: newValue).name }
  }

  /// The filter for images that are drawn larger than they are. Default: "linear".
  open var magnificationFilter: String {
    get { values.magnificationFilter.rawValue }
    set { values.magnificationFilter = CALayerContentsFilter(rawValue: newValue).name }
  }

  /// The colour that multiplies the image, around which particles' colours lie. nil counts as
  /// white. Default: white.
  open var color: CGColor? {
    get { values.color }
    set { store(.color, newValue.map { .color($0) } ?? .none) }
  }

  /// The cells that each particle emits, for as long as it lasts. Their particles start where the
  /// particle is and in its direction, and take over its colour and scale. Default: nil.
  open var emitterCells: [CAEmitterCell]?

  /// Values for keys that are set nowhere else. Default: nil.
  open var style: [AnyHashable: Any]?

  /// The particles that are emitted each second, times the layer's `birthRate`. Default: 0.
  open var birthRate: Float {
    get { Float(values.birthRate) }
    set { store(.birthRate, .number(Double(newValue))) }
  }

  /// Seconds that a particle lasts, times the layer's `lifetime`. Default: 0.
  open var lifetime: Float {
    get { Float(values.lifetime) }
    set { store(.lifetime, .number(Double(newValue))) }
  }

  /// The whole range of lifetimes around `lifetime`, in seconds. Default: 0.
  open var lifetimeRange: Float {
    get { Float(values.lifetimeRange) }
    set { store(.lifetimeRange, .number(Double(newValue))) }
  }

  /// The angle between the direction of emission and the layer's plane, in radians. Default: 0.
  open var emissionLatitude: CGFloat {
    get { CGFloat(values.emissionLatitude) }
    set { store(.emissionLatitude, .number(Double(newValue))) }
  }

  /// The angle of emission in the layer's plane, in radians, from the direction of the layer's
  /// `emitterShape` towards the y axis. Default: 0.
  open var emissionLongitude: CGFloat {
    get { CGFloat(values.emissionLongitude) }
    set { store(.emissionLongitude, .number(Double(newValue))) }
  }

  /// The opening of the cone in which particles are emitted around that direction, in radians: they
  /// spread evenly over the cone. Default: 0.
  open var emissionRange: CGFloat {
    get { CGFloat(values.emissionRange) }
    set { store(.emissionRange, .number(Double(newValue))) }
  }

  /// The speed at birth in points a second, times the layer's `velocity`. Default: 0.
  open var velocity: CGFloat {
    get { CGFloat(values.velocity) }
    set { store(.velocity, .number(Double(newValue))) }
  }

  /// The whole range of speeds around `velocity`. Default: 0.
  open var velocityRange: CGFloat {
    get { CGFloat(values.velocityRange) }
    set { store(.velocityRange, .number(Double(newValue))) }
  }

  /// The acceleration along the layer's x axis, in points per second squared. Default: 0.
  open var xAcceleration: CGFloat {
    get { CGFloat(values.xAcceleration) }
    set { store(.xAcceleration, .number(Double(newValue))) }
  }

  /// The acceleration along the layer's y axis. Default: 0.
  open var yAcceleration: CGFloat {
    get { CGFloat(values.yAcceleration) }
    set { store(.yAcceleration, .number(Double(newValue))) }
  }

  /// The acceleration towards the viewer. Default: 0.
  open var zAcceleration: CGFloat {
    get { CGFloat(values.zAcceleration) }
    set { store(.zAcceleration, .number(Double(newValue))) }
  }

  /// The scale at birth, times the layer's `scale`. Default: 1.
  open var scale: CGFloat {
    get { CGFloat(values.scale) }
    set { store(.scale, .number(Double(newValue))) }
  }

  /// The whole range of scales around `scale`. Default: 0.
  open var scaleRange: CGFloat {
    get { CGFloat(values.scaleRange) }
    set { store(.scaleRange, .number(Double(newValue))) }
  }

  /// The change of the scale in a second. A scale does not fall below 0. Default: 0.
  open var scaleSpeed: CGFloat {
    get { CGFloat(values.scaleSpeed) }
    set { store(.scaleSpeed, .number(Double(newValue))) }
  }

  /// Radians a second by which the particle's image turns, times the layer's `spin`. Default: 0.
  open var spin: CGFloat {
    get { CGFloat(values.spin) }
    set { store(.spin, .number(Double(newValue))) }
  }

  /// The whole range of spins around `spin`. Default: 0.
  open var spinRange: CGFloat {
    get { CGFloat(values.spinRange) }
    set { store(.spinRange, .number(Double(newValue))) }
  }

  /// The whole range of red components around that of `color`, from 0 to 1. Default: 0.
  open var redRange: Float {
    get { Float(values.redRange) }
    set { store(.redRange, .number(Double(newValue))) }
  }

  /// The whole range of green components around that of `color`, from 0 to 1. Default: 0.
  open var greenRange: Float {
    get { Float(values.greenRange) }
    set { store(.greenRange, .number(Double(newValue))) }
  }

  /// The whole range of blue components around that of `color`, from 0 to 1. Default: 0.
  open var blueRange: Float {
    get { Float(values.blueRange) }
    set { store(.blueRange, .number(Double(newValue))) }
  }

  /// The whole range of alphas around that of `color`, from 0 to 1. Default: 0.
  open var alphaRange: Float {
    get { Float(values.alphaRange) }
    set { store(.alphaRange, .number(Double(newValue))) }
  }

  /// The change of the red component in a second. Default: 0.
  open var redSpeed: Float {
    get { Float(values.redSpeed) }
    set { store(.redSpeed, .number(Double(newValue))) }
  }

  /// The change of the green component in a second. Default: 0.
  open var greenSpeed: Float {
    get { Float(values.greenSpeed) }
    set { store(.greenSpeed, .number(Double(newValue))) }
  }

  /// The change of the blue component in a second. Default: 0.
  open var blueSpeed: Float {
    get { Float(values.blueSpeed) }
    set { store(.blueSpeed, .number(Double(newValue))) }
  }

  /// The change of alpha in a second. Default: 0.
  open var alphaSpeed: Float {
    get { Float(values.alphaSpeed) }
    set { store(.alphaSpeed, .number(Double(newValue))) }
  }

  /// Pixels of `contents` per point. Default: 1.
  open var contentsScale: CGFloat {
    get { CGFloat(values.contentsScale) }
    set { store(.contentsScale, .number(Double(newValue))) }
  }

  /// Levels of detail that are added when `minificationFilter` is trilinear. Default: 0.
  open var minificationFilterBias: Float {
    get { Float(values.minificationFilterBias) }
    set { store(.minificationFilterBias, .number(Double(newValue))) }
  }

  /// When emission begins, in the layer's time, or in seconds since the birth of the particle that
  /// emits the cell. Default: 0.
  open var beginTime: CFTimeInterval {
    get { CFTimeInterval(values.timing.beginTime) }
    set { store(.beginTime, .number(Double(newValue))) }
  }

  /// How long particles are emitted, in the cell's time; 0 counts as endless. Default: infinite.
  open var duration: CFTimeInterval {
    get { CFTimeInterval(values.timing.duration) }
    set { store(.duration, .number(Double(newValue))) }
  }

  /// Seconds of the cell's time in a second of the layer's. Default: 1.
  open var speed: Float {
    get { Float(values.timing.speed) }
    set { store(.speed, .number(Double(newValue))) }
  }

  /// Seconds added to the cell's time. Default: 0.
  open var timeOffset: CFTimeInterval {
    get { CFTimeInterval(values.timing.timeOffset) }
    set { store(.timeOffset, .number(Double(newValue))) }
  }

  /// How many times `duration` emission lasts. Default: 0, which counts as 1.
  open var repeatCount: Float {
    get { Float(values.timing.repeatCount) }
    set { store(.repeatCount, .number(Double(newValue))) }
  }

  /// How long emission lasts, in place of `duration`, unless it is 0. Default: 0.
  open var repeatDuration: CFTimeInterval {
    get { CFTimeInterval(values.timing.repeatDuration) }
    set { store(.repeatDuration, .number(Double(newValue))) }
  }

  /// Whether emission lasts twice its duration. Default: false.
  open var autoreverses: Bool {
    get { values.timing.autoreverses }
    set { values.timing.autoreverses = newValue }
  }

  /// Has no effect: a cell emits nothing before its begin and after its end. Default: `removed`.
  open var fillMode: CAMediaTimingFillMode {
    get { CAMediaTimingFillMode(values.timing.fillMode) }
    set { values.timing.fillMode = newValue.name }
  }

  /// Sets a property. A value that it cannot have is refused with a warning.
  private func store(_ property: EmitterCellProperty, _ value: AnimationValue) {
    if !values.set(property, to: value) {
      warn("\(property.rawValue) of a CAEmitterCell cannot be \(value)")
    }
  }

  // MARK: Key-value coding

  /// The value of a property in a new cell; nil for a key that is no property, and where that value
  /// is nil. Override it to provide defaults for keys that are no properties.
  open class func defaultValue(forKey key: String) -> Any? {
    EmitterCellProperty(rawValue: property(key)).flatMap {
      EmitterCellValues().value(of: $0).publicValue { _ in nil }
    }
  }

  /// Whether the value under a key is archived: true if it differs from the default.
  open func shouldArchiveValue(forKey key: String) -> Bool {
    switch key {
    case "contents": return image != nil
    case "emitterCells": return emitterCells?.isEmpty == false
    default: break
    }
    guard let property = EmitterCellProperty(rawValue: Self.property(key)) else {
      return undefinedValues[key] != nil
    }
    return values.value(of: property) != EmitterCellValues().value(of: property)
  }

  private static func property(_ key: String) -> String { key == "isEnabled" ? "enabled" : key }

  /// The value of a property, or the value stored under a key that is no property.
  open func value(forKey key: String) -> Any? {
    switch key {
    case "contents": return image
    case "emitterCells": return emitterCells
    case "style": return style
    case "enabled", "isEnabled": return NSNumber(value: isEnabled)
    case "autoreverses": return NSNumber(value: autoreverses)
    default: break
    }
    guard let property = EmitterCellProperty(rawValue: key) else {
      return undefinedValues[key] ?? style?[key] ?? type(of: self).defaultValue(forKey: key)
    }
    return values.value(of: property).publicValue { _ in nil }
  }

  /// Sets a property, or stores a value under a key that is no property. A value that the property
  /// cannot have is refused with a warning; nil sets the default of one that cannot be nil.
  open func setValue(_ value: Any?, forKey key: String) {
    let value = value is NSNull ? nil : value
    switch key {
    case "contents": return contents = value
    case "emitterCells": return emitterCells = value as? [CAEmitterCell]
    case "style": return style = value as? [AnyHashable: Any]
    default: break
    }
    guard let property = EmitterCellProperty(rawValue: Self.property(key)) else {
      return undefinedValues[key] = value
    }
    var new = AnimationValue(value)
    if new == AnimationValue.none, property != .name, property != .color {
      new = EmitterCellValues().value(of: property)
    }
    guard let new, values.set(property, to: new) else {
      let shown = value.map { "\($0), a \(type(of: $0))" } ?? "nil"
      return warn("\(key) of a CAEmitterCell cannot be \(shown)")
    }
  }

  /// The value at a path such as `contentsRect.origin.x` or `emitterCells.NAME.scale`.
  open func value(forKeyPath keyPath: String) -> Any? {
    guard let dot = keyPath.firstIndex(of: ".") else { return value(forKey: keyPath) }
    let (key, rest) = (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
    if key == "emitterCells" {
      return Self.cell(rest, in: emitterCells).flatMap { $0.cell.value(forKeyPath: $0.path) }
    }
    guard let member = StructureMember(path: rest) else { return nil }
    return AnimationValue(value(forKey: key))?.value(of: member)?.publicValue { _ in nil }
  }

  /// Sets the value at such a path.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    let (key, rest) = (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
    if key == "emitterCells", let (cell, path) = Self.cell(rest, in: emitterCells) {
      return cell.setValue(value, forKeyPath: path)
    }
    guard let member = StructureMember(path: rest), let new = AnimationValue(value),
      let changed = AnimationValue(self.value(forKey: key))?.settingMember(member, to: new)
    else { return warn("a CAEmitterCell has no \(keyPath) that could be set") }
    setValue(changed.publicValue { _ in nil }, forKey: key)
  }

  /// The cell of a path's first name, and the path from there.
  static func cell(
    _ path: String, in cells: [CAEmitterCell]?
  ) -> (cell: CAEmitterCell, path: String)? {
    guard let dot = path.firstIndex(of: "."),
      let cell = cells?.first(where: { $0.name == String(path[..<dot]) })
    else { return nil }
    return (cell, String(path[path.index(after: dot)...]))
  }

  // MARK: Archives

  open class var supportsSecureCoding: Bool { true }

  /// The class under whose name the cell is archived: its own, or the nearest superclass that
  /// Foundation can name.
  open override var classForCoder: AnyClass { nearestNamedClass }

  /// Archives the values for which `shouldArchiveValue(forKey:)` is true.
  open func encode(with coder: NSCoder) {
    coder.archiving(self) {
      let keys = EmitterCellProperty.allCases.map(\.rawValue) + undefinedValues.keys.sorted()
      coder.archive(keys, of: "a CAEmitterCell") { key in
        guard key != NSCoder.contentsKey, shouldArchiveValue(forKey: key) else { return nil }
        return value(forKey: key)
      }
    }
  }

  /// Reads a cell from an archive; nil if the archive cannot be read.
  public required init?(coder: NSCoder) {
    super.init()
    guard !coder.isTooDeep else { return nil }
    for key in coder.archivedKeys.sorted() where key != NSCoder.contentsKey {
      if let value = coder.archivedValue(forKey: key) { setValue(value, forKey: key) }
    }
    guard coder.error == nil else { return nil }
  }
}

extension CAEmitterCell {
  /// A cell with given values. `image` finds an image by its ID.
  convenience init(_ values: EmitterCellValues, image find: (ImageID) -> CGImage?) {
    self.init()
    self.values = values
    self.values.cells = nil
    image = values.contents.flatMap(find)
    emitterCells = values.cells?.map { CAEmitterCell($0, image: find) }
  }

  /// All values, with those of the cells that particles emit. Cells that nest too deeply, as those
  /// do that lie in themselves, are left out with a warning.
  var snapshot: EmitterCellValues { snapshot(depth: 1) }

  private func snapshot(depth: Int) -> EmitterCellValues {
    var whole = values
    guard let emitterCells else { return whole }
    guard depth < TreeLimit.emitterCellDepth else {
      warn("emitter cells nest deeper than \(TreeLimit.emitterCellDepth)")
      return whole
    }
    whole.cells = emitterCells.map { $0.snapshot(depth: depth + 1) }
    return whole
  }

  /// The images of the cell and of those that its particles emit.
  func images(depth: Int = 1) -> [CGImage] {
    guard depth < TreeLimit.emitterCellDepth else { return image.map { [$0] } ?? [] }
    return (image.map { [$0] } ?? [])
      + (emitterCells ?? []).flatMap { $0.images(depth: depth + 1) }
  }
}
