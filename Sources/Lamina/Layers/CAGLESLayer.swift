import Foundation
import LaminaValues

/// A layer whose picture a program draws with OpenGL ES, as in `CAEAGLLayer` and `CAOpenGLLayer` on
/// Apple's systems. It is composited like any other: under masks, with opacity, shadows and
/// filters, in 3D.
///
/// There are two ways to draw. A subclass overrides `draw(in:at:)`, which is called for each frame
/// if `isAsynchronous` is true, else after `setNeedsDisplay()`. Or a program asks for a
/// `nextDrawable()` and presents it, when and on what thread it likes.
///
/// `isOpaque` is true at first: the picture's alpha counts as 1 then. If it is false, colours are
/// taken as premultiplied.
open class CAGLESLayer: CAExternalLayer {
  /// The context, made when it is first drawn in.
  private var context: CAGLESContext?
  private let chosenSize = Lock(CGSize.zero)

  public override init() {
    super.init()
    isOpaque = true
  }

  public override init(layer: Any) { super.init(layer: layer) }

  /// Reads a layer from an archive. Its picture is not archived.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The size of the picture, in pixels; zero for that of the bounds at `contentsScale`. Default:
  /// zero.
  open var drawableSize: CGSize {
    get { chosenSize.withLock { $0 } }
    set { chosenSize.withLock { $0 = newValue } }
  }

  /// Draws the picture for a time of the layer, with the context current and its framebuffer bound,
  /// of the size that the picture shall have. What the framebuffer has from the last picture stays,
  /// unless the size changed. Called on the thread that makes the frame. Does nothing by itself.
  open func draw(in context: CAGLESContext, at time: CFTimeInterval) {}

  /// Draws the picture that a frame shows.
  open override func prepareImage(forLayerTime time: CFTimeInterval) {
    do throws(CAGLESError) {
      // Each frame takes its picture, so that a buffer is free when the render process has applied
      // the commit before.
      guard let drawable = try nextDrawable() else { return }
      try drawable.context.whileCurrent { () throws(CAGLESError) in
        draw(in: drawable.context, at: time)
        try drawable.finish()
      }
      noteDrawing()
    } catch {
      noteFailedDrawing(error.description)
    }
  }

  /// A picture to draw; nil if within a second none of the `queue`'s buffers became free. Throws if
  /// there is no OpenGL ES, and if the size is not one to 16,384 pixels a side. `drawableSize` must
  /// be set if this is called on another thread than the one that uses the layer.
  public final func nextDrawable() throws(CAGLESError) -> CAGLESDrawable? {
    let size = try pixelSize
    let buffer: CAPixelBuffer?
    do throws(CAPixelBufferError) {
      buffer = try queue.nextBuffer(width: size.width, height: size.height, timeout: 1)
    } catch {
      throw CAGLESError(error.description)
    }
    guard let buffer else { return nil }
    let context = try ownContext()
    try context.whileCurrent { () throws(CAGLESError) in
      try context.resize(width: size.width, height: size.height)
    }
    return CAGLESDrawable(context, buffer, queue, isOpaque: modelValues.client.isOpaque)
  }

  private func ownContext() throws(CAGLESError) -> CAGLESContext {
    if let context { return context }
    let made = try CAGLESContext()
    context = made
    return made
  }

  private var pixelSize: PixelSize {
    get throws(CAGLESError) {
      var size = drawableSize
      if size == .zero {
        size = CGSize(width: bounds.width * contentsScale, height: bounds.height * contentsScale)
      }
      let (width, height) = (size.width.rounded(.up), size.height.rounded(.up))
      let sides = 1...CGFloat(16_384)
      guard sides.contains(width), sides.contains(height) else {
        throw CAGLESError("\(debugName) cannot be drawn with \(width)x\(height) pixels")
      }
      return PixelSize(width: Int(width), height: Int(height))
    }
  }
}

/// A picture of a `CAGLESLayer` that a program draws in its own time. Used on one thread.
public final class CAGLESDrawable {
  /// The layer's context, whose framebuffer has the picture's size. Make it current, draw, and
  /// present the drawable before asking for the next one.
  public let context: CAGLESContext
  private let buffer: CAPixelBuffer
  private let queue: CAImageQueue
  private let isOpaque: Bool

  fileprivate init(
    _ context: CAGLESContext, _ buffer: CAPixelBuffer, _ queue: CAImageQueue, isOpaque: Bool
  ) {
    (self.context, self.buffer, self.queue) = (context, buffer, queue)
    self.isOpaque = isOpaque
  }

  /// Has the layer show what was drawn, from `time` on, in seconds of the renderer's clock; from
  /// its next frame on by default. Throws if drawing left an error of GL's.
  public func present(at time: CFTimeInterval = -.infinity) throws(CAGLESError) {
    try context.whileCurrent { () throws(CAGLESError) in try finish(at: time) }
  }

  /// The same, while the context is current.
  fileprivate func finish(at time: CFTimeInterval = -.infinity) throws(CAGLESError) {
    try context.read(into: buffer, isOpaque: isOpaque)
    queue.enqueue(buffer, at: time)
  }
}
