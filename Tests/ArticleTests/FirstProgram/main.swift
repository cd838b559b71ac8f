import Lamina

let disc = CALayer()
disc.frame = CGRect(x: 0, y: 0, width: 40, height: 40)
disc.cornerRadius = 20
disc.backgroundColor = CGColor(red: 1, green: 0.4, blue: 0.2, alpha: 1)

let slide = CABasicAnimation(keyPath: "position.x")
slide.fromValue = 20
slide.toValue = 180
slide.duration = 1
disc.add(slide, forKey: "slide")

let renderer = try CARenderer(size: CGSize(width: 200, height: 40), scale: 2)
renderer.layer = disc
try renderer.image(at: 0.5).writePNG(toFile: "half-way.png")

// Changes of a layer that is on screen animate by themselves.
CATransaction.begin()
CATransaction.setCompletionBlock { print("the disc is blue") }
disc.backgroundColor = CGColor(red: 0.2, green: 0.4, blue: 1, alpha: 1)
CATransaction.commit()
for try await frame in renderer.frames(from: 0.5, to: 1, fps: 60) {
  print(frame.time, disc.presentation()?.position.x ?? 0)
}
