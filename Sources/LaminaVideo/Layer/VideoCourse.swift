/// How a video's time runs in its layer's.
struct VideoCourse: Equatable {
  /// Seconds of the video in a second of the layer.
  var rate = 0.0
  /// The video's time when the layer's is `layerTime`, in seconds.
  var time = 0.0
  /// nil for the time of the first frame that shows the layer.
  var layerTime: Double?

  /// The video's time at a time of the layer; nil stands for no such time yet.
  func time(at now: Double?) -> Double {
    guard let layerTime, let now else { return time }
    let moved = time + (now - layerTime) * rate
    return moved.isFinite ? moved : time
  }
}
