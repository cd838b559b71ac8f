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
      body(
        try UploadRows(self, of: store.layout, store.bytes, originX: originX, originY: originY))
    case .bytes(let bytes):
      let layout = PixelLayout(
        width: region.width, height: region.height, stride: region.width * format.bytesPerPixel,
        format: format)
      let result: Result<Void, ExecutorError> = bytes.withUnsafeBytes { bytes in
        do throws(ExecutorError) {
          body(try UploadRows(self, of: layout, bytes, originX: 0, originY: 0))
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      try result.get()
    }
  }
}

/// The pixels of an upload in memory, checked to lie within it.
package struct UploadRows {
  package let start: UnsafeRawPointer
  /// Bytes from row to row.
  package let stride: Int
  package let bytesPerPixel: Int

  /// The upload's region is at `originX` and `originY` of the pixels in `bytes`. Throws `badUpload`
  /// if they are not there or have another format.
  package init(
    _ upload: FramePlan.Upload, of layout: PixelLayout, _ bytes: UnsafeRawBufferPointer,
    originX: Int, originY: Int
  ) throws(ExecutorError) {
    let (width, height) = (upload.region.width, upload.region.height)
    guard layout.format == upload.format else {
      throw .badUpload(upload.texture, "its pixels are \(layout.format), not \(upload.format)")
    }
    guard layout.byteCount != nil else {
      throw .badUpload(upload.texture, "its pixels' layout contradicts itself")
    }
    guard originX >= 0, originY >= 0, width <= layout.width, height <= layout.height,
      originX <= layout.width - width, originY <= layout.height - height
    else {
      throw .badUpload(
        upload.texture, "\(width)x\(height) at \((originX, originY)) is not within \(layout.size)")
    }
    // This cannot overflow: it is at most `layout.byteCount`.
    let bytesPerPixel = layout.format.bytesPerPixel
    let first = originY * layout.stride + originX * bytesPerPixel
    let end = first + (height - 1) * layout.stride + width * bytesPerPixel
    guard end <= bytes.count, let base = bytes.baseAddress else {
      throw .badUpload(upload.texture, "it needs \(end) bytes and there are \(bytes.count)")
    }
    start = base + first
    stride = layout.stride
    self.bytesPerPixel = bytesPerPixel
  }
}
