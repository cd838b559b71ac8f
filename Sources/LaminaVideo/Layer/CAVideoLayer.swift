import Foundation
import Lamina
import LaminaValues

/// A layer that plays a video file, as `AVPlayerLayer` does on Apple's systems. Sound is not
/// played.
///
/// The video runs in the layer's time: with `rate` 1, a second of it takes a second of the layer's
/// own time, which `speed`, `timeOffset` and `beginTime` of the layer and of those above it change
/// too. It is at first paused at its beginning.
///
/// On a manual clock each frame shows exactly the picture that is due at its time, whichever frame
/// was made before it, so that the same tree and time give the same bytes. On the host's clock
/// pictures are decoded ahead on another thread, and one that comes late is left out.
///
/// The picture is placed as contents are; `contentsGravity` is `resizeAspect` at first. A file that
/// cannot be read or is damaged leaves the last picture in place: `error` says why, and a warning
/// does once. Files are read and decoded in the app's process. FFmpeg's libraries are opened with
/// the first file.
open class CAVideoLayer: CAExternalLayer {
  /// The video's file.
  public final let url: URL
  private let player: VideoPlayer

  /// A layer for a video in a local file, which is opened when a frame shows the layer.
  public init(url: URL) {
    self.url = url
    player = VideoPlayer(url)
    super.init()
    contentsGravity = .resizeAspect
    setNeedsDisplay()
  }

  public override init(layer: Any) {
    let original = layer as? CAVideoLayer
    url = original?.url ?? URL(fileURLWithPath: "/dev/null")
    player = original?.player ?? VideoPlayer(url)
    super.init(layer: layer)
  }

  /// Reads a layer from an archive: the file's URL, and whether it plays again and again. nil if
  /// the archive names no file.
  public required init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "url"),
      let url = URL(string: text as String)
    else { return nil }
    self.url = url
    player = VideoPlayer(url)
    player.isLooping = coder.decodeBool(forKey: "isLooping")
    super.init(coder: coder)
    setNeedsDisplay()
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(url.absoluteString as NSString, forKey: "url")
    coder.encode(isLooping, forKey: "isLooping")
  }

  // MARK: The file

  /// Opens the file now, on the calling thread, if it is not open. This reads it whole, without
  /// decoding it. Throws if it is no video that can be played.
  public final func open() throws(VideoError) {
    _ = try player.openFile()
    if !player.hasAlpha { isOpaque = true }
    imageMotion = player.motion
  }

  /// The length in seconds; 0 until the file is open.
  public final var videoDuration: CFTimeInterval { player.duration }

  /// The size in points, pixels of other shapes and turned pictures being taken into account; zero
  /// until the file is open.
  public final var naturalSize: CGSize { player.naturalSize }

  /// Why there is no other picture than the one that is shown; nil if nothing failed.
  public final var error: VideoError? { player.error }

  // MARK: Playing

  /// Plays the video from its current time on, at normal speed.
  public final func play() { rate = 1 }

  /// Stops the video at its current time.
  public final func pause() { rate = 0 }

  /// Seconds of the video in a second of the layer's time: 0 if it is paused, negative if it plays
  /// backwards. It counts from the renderer's current time on, or from the first frame that shows
  /// the layer. Default: 0.
  public final var rate: Float {
    get { Float(player.course.rate) }
    set { setCourse(rate: Double(newValue), time: player.course.time(at: layerTime)) }
  }

  /// The video's time, in seconds, from 0 to `videoDuration`. Setting it seeks.
  public final var currentTime: CFTimeInterval {
    get { player.shownTime(at: layerTime) }
    set { setCourse(rate: player.course.rate, time: newValue) }
  }

  /// Whether the video begins again when it ends. Default: false.
  public final var isLooping: Bool {
    get { player.isLooping }
    set {
      player.isLooping = newValue
      imageMotion = player.motion
      setNeedsDisplay()
    }
  }

  /// Has the video run at a rate such that it is at `time` when the layer's time is `layerTime`,
  /// both in seconds, as `AVPlayer.setRate(_:time:atHostTime:)` does. Numbers that are not finite
  /// stop the program with a message.
  public final func setRate(
    _ rate: Float, time: CFTimeInterval, atLayerTime layerTime: CFTimeInterval
  ) {
    guard layerTime.isFinite else { programmerError("a layer's time cannot be \(layerTime)") }
    setCourse(rate: Double(rate), time: time, from: layerTime)
  }

  private func setCourse(
    rate: Double, time: CFTimeInterval, from layerTime: CFTimeInterval? = nil
  ) {
    guard rate.isFinite, time.isFinite else {
      programmerError("a video cannot run at the rate \(rate) from the time \(time)")
    }
    player.course = VideoCourse(rate: rate, time: time, layerTime: layerTime ?? self.layerTime)
    isAsynchronous = rate != 0
    imageMotion = player.motion
    setNeedsDisplay()
  }

  /// The layer's current time; nil if no renderer shows it.
  private var layerTime: CFTimeInterval? { isInTree ? currentLayerTime : nil }

  /// Passes the picture that is due to the queue.
  open override func prepareImage(forLayerTime time: CFTimeInterval) {
    if player.course.layerTime == nil { player.course.layerTime = time }
    do throws(VideoError) {
      let isThere =
        isOnHostClock
        ? try player.showDecodedAhead(at: time, in: queue) : try player.show(at: time, in: queue)
      if !player.hasAlpha { isOpaque = true }
      // A picture that is not there yet is asked for again.
      if !isThere { setNeedsDisplay() }
      player.error = nil
    } catch {
      if player.error == nil { warn("\(error)") }
      player.error = error
    }
  }
}
