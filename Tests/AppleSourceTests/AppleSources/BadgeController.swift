import CoreGraphics
import Foundation
import QuartzCore

// A delegate that draws a layer's contents and lays out its sublayers.

final class BadgeController: NSObject, CALayerDelegate {
  let badge = CALayer()
  let dot = CALayer()
  private(set) var drawings: [String] = []

  override init() {
    super.init()
    badge.name = "badge"
    badge.delegate = self
    dot.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    badge.addSublayer(dot)
    badge.setNeedsDisplay()
  }

  func layerWillDraw(_ layer: CALayer) {
    drawings.append("will draw \(layer.name ?? "")")
  }

  func draw(_ layer: CALayer, in ctx: CGContext) {
    drawings.append("draw \(layer.name ?? "")")
    ctx.saveGState()
    ctx.addEllipse(in: layer.bounds)
    ctx.clip()
    ctx.setFillColor(CGColor(gray: 1, alpha: 1))
    ctx.fill(layer.bounds)
    ctx.restoreGState()
  }

  func layoutSublayers(of layer: CALayer) {
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    dot.frame = layer.bounds.insetBy(dx: layer.bounds.width / 4, dy: layer.bounds.height / 4)
    CATransaction.commit()
  }
}
