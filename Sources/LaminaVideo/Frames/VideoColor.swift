import CFFmpeg

/// The meaning of the numbers in a frame's planes.
package struct VideoColor: Hashable, Sendable {
  /// How luma and chroma are made of red, green and blue.
  package enum Matrix: Sendable {
    case bt601, bt709, bt2020, fcc, smpte240
    /// The planes are red, green and blue themselves.
    case rgb
  }

  package var matrix: Matrix
  /// Whether black and white are 0 and 255 (of 8 bits) rather than 16 and 235.
  package var isFullRange: Bool

  /// Takes what the file says. Where it says nothing, sizes above those of standard definition are
  /// BT.709, others BT.601, in the limited range: as players guess.
  init(
    matrix: AVColorSpace, range: AVColorRange, width: Int, height: Int, format: AVPixelFormat
  ) {
    let description = lazy_av_pix_fmt_desc_get(format)
    let isRGB = description.map { $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0 } ?? false
    // Old names of formats, in which the range is a part.
    let isFullFormat = description.map { String(cString: $0.pointee.name) }?.hasPrefix("yuvj")
    let guess: Matrix = width >= 1280 || height > 576 ? .bt709 : .bt601
    self.matrix =
      switch matrix {
      case _ where isRGB: .rgb
      case AVCOL_SPC_BT709: .bt709
      case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: .bt601
      case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt2020
      case AVCOL_SPC_FCC: .fcc
      case AVCOL_SPC_SMPTE240M: .smpte240
      default: guess
      }
    isFullRange = isRGB || range == AVCOL_RANGE_JPEG || isFullFormat ?? false
  }

  /// libswscale's coefficients.
  var coefficients: UnsafePointer<Int32>? {
    let name =
      switch matrix {
      case .bt601, .rgb: SWS_CS_ITU601
      case .bt709: SWS_CS_ITU709
      case .bt2020: SWS_CS_BT2020
      case .fcc: SWS_CS_FCC
      case .smpte240: SWS_CS_SMPTE240M
      }
    return lazy_sws_getCoefficients(name)
  }
}
