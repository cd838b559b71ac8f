// What exists on Apple's systems and not here is refused with words that say what to write or why.
// Compiled with -verify, which expects these errors and no other.
import Lamina

final class Player {
  func play() {
    // expected-error @+1 {{'init(target:selector:)' is unavailable: Linux has no selectors: write CADisplayLink { [weak self] link in self?.step(link) }}}
    _ = CADisplayLink(target: self, selector: "step:")
  }
}

// expected-error @+1 {{'init(remoteClientId:)' is unavailable: Lamina shows no layers of other processes}}
let remote = CALayer(remoteClientId: 1)
