import Lamina

// Written as for Apple's systems: nothing but inherited initializers, `override init()`, generics,
// and an animation of a class of its own.

class PulseLayer: CALayer {
  var beats = 0

  override init() {
    super.init()
    cornerRadius = 8
    masksToBounds = true
  }

  override init(layer: Any) {
    super.init(layer: layer)
    if let layer = layer as? PulseLayer { beats = layer.beats }
  }

  required init?(coder aDecoder: NSCoder) {
    super.init(coder: aDecoder)
  }

  func pulse() {
    let scale = CABasicAnimation(keyPath: "transform.scale")
    scale.fromValue = 1
    scale.toValue = 2
    let fade = CAKeyframeAnimation(keyPath: "opacity")
    fade.values = [1, 0.5, NSNumber(value: 1.0)]
    fade.keyTimes = [0, 0.25, 1]
    fade.calculationMode = .linear
    let group = PulseAnimation()
    group.beats = 3
    group.animations = [scale, fade]
    group.duration = 2
    group.autoreverses = true
    group.repeatCount = .infinity
    group.timingFunction = CAMediaTimingFunction(name: .linear)
    group.fillMode = .both
    group.isRemovedOnCompletion = false
    add(group, forKey: "pulse")
  }
}

class PulseAnimation: CAAnimationGroup {
  var beats = 0

  override init() { super.init() }
  required init?(coder: NSCoder) { super.init(coder: coder) }

  override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone) as! PulseAnimation
    copy.beats = beats
    return copy
  }
}

class NoteLayer<Note>: PulseLayer {
  var note: Note?
}

final class TextNoteLayer: NoteLayer<String> {}
