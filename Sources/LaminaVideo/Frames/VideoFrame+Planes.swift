import CFFmpeg

extension VideoFrame {
  /// The planes as the decoder gave them, one after another and without gaps: the bytes that
  /// `ffmpeg -f rawvideo` writes of the frame.
  package var rawBytes: [UInt8] {
    let (width, height) = (Int32(width), Int32(height))
    let count = lazy_av_image_get_buffer_size(format, width, height, 1)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { bytes, initializedCount in
      let written = storage.withPlanes { planes, strides in
        lazy_av_image_copy_to_buffer(
          bytes.baseAddress, count, planes, strides, format, width, height, 1)
      }
      initializedCount = max(0, Int(written))
    }
  }

  /// Whether `writeNV12` writes the frame: whether it has 8 bits, and chroma of half the size.
  package var isNV12: Bool {
    [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_NV12].contains(format)
  }

  /// Writes the pixels as NV12, a plane of luma and one of chroma pairs, blue difference first,
  /// without converting any. False if they have another form or a plane has no room for its rows.
  package func writeNV12(
    luma: UnsafeMutableRawBufferPointer, lumaStride: Int, chroma: UnsafeMutableRawBufferPointer,
    chromaStride: Int
  ) -> Bool {
    let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
    guard isNV12, luma.holds(rows: height, of: width, stride: lumaStride),
      chroma.holds(rows: chromaHeight, of: chromaWidth * 2, stride: chromaStride)
    else { return false }
    return storage.withPlanes { planes, strides in
      guard let sourceLuma = planes[0], let first = planes[1] else { return false }
      for y in 0..<height {
        luma[(y * lumaStride)...].prefix(width).copyBytes(
          from: UnsafeBufferPointer(start: sourceLuma + y * Int(strides[0]), count: width))
      }
      for y in 0..<chromaHeight {
        let row = chroma[(y * chromaStride)...].prefix(chromaWidth * 2)
        let blue = first + y * Int(strides[1])
        if format == AV_PIX_FMT_NV12 {
          row.copyBytes(from: UnsafeBufferPointer(start: blue, count: chromaWidth * 2))
        } else if let red = planes[2].map({ $0 + y * Int(strides[2]) }) {
          let target = UnsafeMutableRawBufferPointer(rebasing: row)
          for x in 0..<chromaWidth { (target[2 * x], target[2 * x + 1]) = (blue[x], red[x]) }
        }
      }
      return true
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Whether so many rows fit that do not overlap.
  func holds(rows: Int, of byteCount: Int, stride: Int) -> Bool {
    let (last, overflows) = (rows - 1).multipliedReportingOverflow(by: stride)
    return rows > 0 && stride >= byteCount && !overflows && count - byteCount >= last
  }
}

extension Slice<UnsafeMutableRawBufferPointer> {
  fileprivate func copyBytes(from bytes: UnsafeBufferPointer<UInt8>) {
    UnsafeMutableRawBufferPointer(rebasing: self).copyBytes(from: bytes)
  }
}
