/// The place, in one direction, of a pixel of an image that is enlarged and rounded down. It lies
/// between two pixels of the image, from one of which to the next there are so many bits of steps,
/// and its neighbours are two steps apart.
package struct EnlargedPlace {
  package let bits: Int
  /// The image's pixel before.
  package let first: Int
  /// Steps from there.
  package let step: Int

  package init(of pixel: Int, bits: Int) {
    let place = 2 &* pixel &+ 1 &- (1 &<< bits) / 2
    (self.bits, first, step) = (bits, place >> bits, place & (1 &<< bits &- 1))
  }

  /// The image's pixel before the last one of a row, from the first one.
  package func last(of count: Int) -> Int { (step &+ 2 &* (count &- 1)) >> bits }
}

extension FramePlan.Program {
  /// The bits of an `EnlargedPlace`, if the program enlarges and rounds down; otherwise nil.
  package var bitsOfEnlarging: Int? {
    switch self {
    case .doubledDown: 2
    case .quadrupledDown: 3
    default: nil
    }
  }
}
