import LaminaAnimation
import LaminaCommit

extension CALayer {
  /// The particles that an emitter shows at a time of its own. Those of a presentation copy are the
  /// ones that the render process draws; those of a layer in the model are of the model's values,
  /// without animations.
  final func particles(at time: Double) -> ParticleCloud {
    let present = modelValues.emitter
    guard let model = modelLayer else {
      let spans = present.spans(of: .emitter, at: time, isAnimated: false) { _ in present }
      return ParticleCloud(spans, at: time, present: present)
    }
    let committed = model.committedValues
    let tracks = model.attachedAnimations.compactMap(\.track)
    let isAnimated = tracks.contains { track in
      track.properties.contains { StoredPropertySet.emission.contains($0) }
    }
    let spans = committed.emitter.spans(of: .emitter, at: time, isAnimated: isAnimated) { time in
      var values = committed
      AnimationTrack.apply(tracks, at: time, to: &values)
      return values.emitter
    }
    return ParticleCloud(spans, at: time, present: present)
  }
}
