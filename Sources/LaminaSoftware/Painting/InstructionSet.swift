import CSpans
import LaminaValues

/// The instructions that rows of pixels are painted with. No byte depends on which they are.
package enum InstructionSet: String, CaseIterable, Sendable {
  /// Those that every processor of the kind has.
  case baseline
  case avx2
  case avx512

  /// This processor's, the widest last, up to those that `LAMINA_CPU` in the environment names.
  package static let available: [InstructionSet] = {
    let named = Environment.process["LAMINA_CPU"].flatMap(Self.init)
    let allowed = allCases.prefix(through: allCases.firstIndex(of: named ?? .avx512)!)
    return allowed.filter { $0 == .baseline || $0.loops != nil }
  }()

  package static var widest: InstructionSet { available.last ?? .baseline }

  /// The loops of `CSpans` that use them; nil if they are the compiler's own, or if this processor
  /// does not have them.
  var loops: UnsafePointer<lamina_spans>? {
    switch self {
    case .baseline: nil
    case .avx2: lamina_spans_avx2()
    case .avx512: lamina_spans_avx512()
    }
  }

  /// This kind of processor, with what not all of it have.
  var description: String {
    switch self {
    case .baseline: Self.processor
    case .avx2: "\(Self.processor) with AVX2"
    case .avx512: "\(Self.processor) with AVX-512"
    }
  }

  private static var processor: String {
    #if arch(x86_64)
      "x86-64"
    #elseif arch(arm64)
      "arm64"
    #else
      "portable"
    #endif
  }
}
