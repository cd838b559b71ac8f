import CGL
import Foundation
import LaminaFramePlan
import LaminaValues

/// A DRM node: surfaces are buffers of that device, allocated with gbm and imported.
final class GBMPlatform: Platform {
  let request = RenderPlatform.gbm
  let device: String?
  let context: RenderingContext
  private let descriptor: Int32
  private let gbm: OpaquePointer

  /// The machine's DRM nodes, render nodes first: the others may require a DRM master.
  static func nodes() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/dri")) ?? []
    return ["renderD", "card"].flatMap { prefix in
      names.compactMap { name in
        name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
      }
      .sorted().map { "/dev/dri/\(prefix)\($0)" }
    }
  }

  init(node: String, driverLoaded: () -> Void) throws(ExecutorError) {
    try GraphicsLibrary.require(.egl, .gles, .gbm)
    let client = clientExtensions()
    guard client.contains("EGL_KHR_platform_gbm") || client.contains("EGL_MESA_platform_gbm")
    else { throw .notInstalled("EGL_KHR_platform_gbm is missing") }
    let descriptor = open(node, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .noPlatform(reasons: [String(cString: strerror(errno))])
    }
    guard let gbm = gbm_create_device(descriptor) else {
      Foundation.close(descriptor)
      throw .noPlatform(reasons: ["gbm does not know this device"])
    }
    do throws(ExecutorError) {
      context = try RenderingContext(
        display: eglGetPlatformDisplay(
          EGLenum(EGL_PLATFORM_GBM_KHR), UnsafeMutableRawPointer(gbm), nil),
        ownsDisplay: true, driverLoaded: driverLoaded)
    } catch {
      gbm_device_destroy(gbm)
      Foundation.close(descriptor)
      throw error
    }
    self.device = node
    self.descriptor = descriptor
    self.gbm = gbm
  }

  func makeSurfaceBuffer(_ size: PixelSize, isBGRA: Bool) throws(ExecutorError) -> SurfaceBuffer? {
    try GBMBuffer(size, isBGRA: isBGRA, gbm: gbm, context: context)
  }

  let knowsReadableDMABufs = true

  /// Imports the dma-buf into gbm too, and asks for one of its pixels: only those of this device
  /// are mapped. Nothing of it is read.
  func canRead(_ layout: DMABufLayout, descriptors: [Int32]) -> Bool {
    guard layout.planes.count == 1, layout.planes[0].offset == 0 else { return false }
    var data = gbm_import_fd_data(
      fd: descriptors[0], width: UInt32(clamping: layout.size.width),
      height: UInt32(clamping: layout.size.height), stride: layout.planes[0].stride,
      format: layout.format.rawValue)
    guard
      let buffer = gbm_bo_import(
        gbm, UInt32(GBM_BO_IMPORT_FD), &data, GBM_BO_USE_RENDERING.rawValue)
    else { return false }
    defer { gbm_bo_destroy(buffer) }
    var (stride, mapping) = (UInt32(0), UnsafeMutableRawPointer?.none)
    let isThere =
      gbm_bo_map(buffer, 0, 0, 1, 1, GBM_BO_TRANSFER_READ.rawValue, &stride, &mapping) != nil
    if isThere, let mapping { gbm_bo_unmap(buffer, mapping) }
    return isThere
  }

  func close() {
    context.destroy()
    gbm_device_destroy(gbm)
    Foundation.close(descriptor)
  }
}

/// A buffer of the device, and the EGL image that imports it into GL.
final class GBMBuffer: SurfaceBuffer {
  let image: EGLImageKHR
  private let buffer: OpaquePointer
  private let context: RenderingContext

  init(
    _ size: PixelSize, isBGRA: Bool, gbm: OpaquePointer, context: RenderingContext
  ) throws(ExecutorError) {
    let format = isBGRA ? DMABufFormat.argb8888 : .abgr8888
    guard let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height),
      let buffer = gbm_bo_create(
        gbm, width, height, format.rawValue, GBM_BO_USE_RENDERING.rawValue)
    else { throw .noPlatform(reasons: ["no buffer: " + String(cString: strerror(errno))]) }
    do throws(ExecutorError) {
      image = try GBMBuffer.importing(buffer, format, context)
    } catch {
      gbm_bo_destroy(buffer)
      throw error
    }
    self.buffer = buffer
    self.context = context
  }

  func close() {
    _ = context.extensions.destroyImage?(context.display, image)
    gbm_bo_destroy(buffer)
  }

  /// Imports the buffer as a native pixmap, which is Mesa's way, or else as a dma-buf, which works
  /// everywhere.
  private static func importing(
    _ buffer: OpaquePointer, _ format: DMABufFormat, _ context: RenderingContext
  ) throws(ExecutorError) -> EGLImageKHR {
    guard let createImage = context.extensions.createImage,
      context.extensions.imageTargetTexture != nil
    else { throw .noPlatform(reasons: ["EGL images are missing"]) }
    if let image = createImage(
      context.display, nil, EGLenum(EGL_NATIVE_PIXMAP_KHR), UnsafeMutableRawPointer(buffer), nil)
    {
      return image
    }
    let descriptor = gbm_bo_get_fd(buffer)
    guard descriptor >= 0 else {
      throw .noPlatform(reasons: ["the buffer has no descriptor"])
    }
    defer { Foundation.close(descriptor) }
    let modifier = gbm_bo_get_modifier(buffer)
    let layout = DMABufLayout(
      size: PixelSize(
        width: Int(gbm_bo_get_width(buffer)), height: Int(gbm_bo_get_height(buffer))),
      format: format, modifier: modifier == DMABufLayout.unknownModifier ? nil : modifier,
      planes: [
        DMABufLayout.Plane(
          offset: gbm_bo_get_offset(buffer, 0), stride: gbm_bo_get_stride(buffer))
      ])
    return try context.importImage(layout, descriptors: [descriptor])
  }
}
