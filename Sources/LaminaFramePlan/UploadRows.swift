import LaminaValues

extension FramePlan.Upload {
  /// Passes the pixels to `body`, unless there are none. `stores` returns those of an image. Throws
  /// `badUpload` if they are not there, or do not fit the region.
  package func withRows(
    from stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?,
    _ body: (UploadRows) -> Void
  ) throws(ExecutorError) {
    guard PixelRect(size).contains(region) else {
      throw .badUpload(texture, "\(region) is not within \(size)")
    }
    if region.isEmpty { return }
    switch source {
    case .store(let image, let originX, let originY):
      guard let store = stores(image) else {
        throw .badUpload(texture, "there is no \(image)")
      }
      let part = try part(of: store.layout.size, originX: originX, originY: originY)
      if let coding = store.layout.coding {
        try withDecoded(part, of: store, by: coding, body)
      } else {
        body(try UploadRows(self, of: store.layout, store.bytes, part))
      }
    case .dmaBuf(let id): throw .badUpload(texture, "\(id) has no rows")
    case .bytes(let bytes):
      let result: Result<Void, ExecutorError> = bytes.withUnsafeBytes { bytes in
        do throws(ExecutorError) {
          return .success(
            body(try UploadRows(self, of: tightLayout, bytes, PixelRect(region.size))))
        } catch {
          return .failure(error)
        }
      }
      try result.get()
    }
  }

  /// The pixels of an image that go to the region.
  private func part(
    of image: PixelSize, originX: Int, originY: Int
  ) throws(ExecutorError) -> PixelRect {
    let size = region.size
    guard originX >= 0, originY >= 0, size.width <= image.width, size.height <= image.height,
      originX <= image.width - size.width, originY <= image.height - size.height
    else {
      throw .badUpload(texture, "\(size) at \((originX, originY)) is not within \(image)")
    }
    return PixelRect(size).offset(x: originX, y: originY)
  }

  /// Decodes a part of an image for `body`.
  private func withDecoded(
    _ part: PixelRect, of store: (layout: PixelLayout, bytes: UnsafeRawBufferPointer),
    by coding: YCbCrCoding, _ body: (UploadRows) -> Void
  ) throws(ExecutorError) {
    let needed = store.layout.byteCount ?? .max
    guard needed <= store.bytes.count, format == .bgra8 else {
      throw .badUpload(
        texture, "its \(format) pixels need \(needed) bytes and there are \(store.bytes.count)")
    }
    let count = region.width * region.height
    let pixels = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
    defer { pixels.deallocate() }
    YCbCrCoding.decode(
      part, of: store.bytes, store.layout, by: coding, into: pixels, stride: region.width)
    let bytes = UnsafeRawBufferPointer(start: pixels, count: count * 4)
    body(try UploadRows(self, of: tightLayout, bytes, PixelRect(region.size)))
  }

  /// That of the region's pixels in rows without gaps.
  private var tightLayout: PixelLayout {
    PixelLayout(
      width: region.width, height: region.height, stride: region.width * format.bytesPerPixel,
      format: format)
  }
}

/// The pixels of an upload in memory, checked to lie within it.
package struct UploadRows {
  package let start: UnsafeRawPointer
  /// Bytes from row to row.
  package let stride: Int
  package let bytesPerPixel: Int

  /// The upload's region is `part` of the pixels in `bytes`, within their layout, and they are not
  /// coded. Throws `badUpload` if they are not there or have another format.
  fileprivate init(
    _ upload: FramePlan.Upload, of layout: PixelLayout, _ bytes: UnsafeRawBufferPointer,
    _ part: PixelRect
  ) throws(ExecutorError) {
    guard layout.format == upload.format else {
      throw .badUpload(upload.texture, "its pixels are \(layout.format), not \(upload.format)")
    }
    guard layout.byteCount != nil else {
      throw .badUpload(upload.texture, "its pixels' layout contradicts itself")
    }
    // This cannot overflow: it is at most `layout.byteCount`.
    let bytesPerPixel = layout.format.bytesPerPixel
    let first = part.minY * layout.stride + part.minX * bytesPerPixel
    let end = first + (part.height - 1) * layout.stride + part.width * bytesPerPixel
    guard end <= bytes.count, let base = bytes.baseAddress else {
      throw .badUpload(upload.texture, "it needs \(end) bytes and there are \(bytes.count)")
    }
    start = base + first
    stride = layout.stride
    self.bytesPerPixel = bytesPerPixel
  }
}
