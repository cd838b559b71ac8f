import LaminaAnimation

extension EmitterValues {
  /// What an emitter of a layer is set to while the particles that are alive at a time of the layer
  /// are born: what its history tells and, from there on, these values. If `isAnimated`,
  /// `animated` gives the values at other times, with the layer's animations applied.
  package func spans(
    of kind: LayerKind, at time: Double, isAnimated: Bool, _ animated: (Double) -> EmitterValues
  ) -> [EmissionSpan] {
    var spans = history.spans(of: kind, at: time)
    let start = spans.last?.end ?? -.infinity
    var present = EmissionSpan(from: start, self)
    if isAnimated {
      present.samples = EmissionSamples(of: self, alive: time, from: start, at: animated)
    }
    spans.append(present)
    return spans
  }
}

extension EmissionHistory {
  fileprivate func spans(of kind: LayerKind, at time: Double) -> [EmissionSpan] {
    var spans: [EmissionSpan] = []
    for past in self.spans {
      let start = spans.last?.end ?? -.infinity
      guard past.end > start else { continue }
      var span = EmissionSpan(from: start, to: past.end, past.values)
      let tracks = past.animations.map { animation in
        AnimationTrack(animation) { kind.property(key: $0) }
      }
      if !tracks.isEmpty, start < time {
        var values = LayerValues(kind: kind)
        span.samples = EmissionSamples(
          of: past.values, alive: time, from: start, to: past.end
        ) { time in
          values.emitter = past.values
          AnimationTrack.apply(tracks, at: time, to: &values)
          return values.emitter
        }
      }
      spans.append(span)
    }
    return spans
  }
}
