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

  init(node: String) throws(ExecutorError) {
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
        ownsDisplay: true)
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
    let format = fourCC(isBGRA ? "AR24" : "AB24")
    guard let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height),
      let buffer = gbm_bo_create(gbm, width, height, format, GBM_BO_USE_RENDERING.rawValue)
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
    _ buffer: OpaquePointer, _ format: UInt32, _ context: RenderingContext
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
    var attributes: [EGLint] = [
      EGL_WIDTH, EGLint(bitPattern: gbm_bo_get_width(buffer)),
      EGL_HEIGHT, EGLint(bitPattern: gbm_bo_get_height(buffer)),
      EGL_LINUX_DRM_FOURCC_EXT, EGLint(bitPattern: format),
      EGL_DMA_BUF_PLANE0_FD_EXT, descriptor,
      EGL_DMA_BUF_PLANE0_OFFSET_EXT, EGLint(bitPattern: gbm_bo_get_offset(buffer, 0)),
      EGL_DMA_BUF_PLANE0_PITCH_EXT, EGLint(bitPattern: gbm_bo_get_stride(buffer)),
    ]
    let modifier = gbm_bo_get_modifier(buffer)
    if modifier != invalidModifier {
      attributes += [
        EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGLint(truncatingIfNeeded: modifier),
        EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, EGLint(truncatingIfNeeded: modifier >> 32),
      ]
    }
    attributes.append(EGL_NONE)
    guard
      let image = createImage(
        context.display, nil, EGLenum(EGL_LINUX_DMA_BUF_EXT), nil, attributes)
    else { throw .egl(call: "eglCreateImageKHR", code: eglGetError()) }
    return image
  }
}

/// DRM_FORMAT_MOD_INVALID of drm_fourcc.h: the layout is private to the driver.
private let invalidModifier: UInt64 = 0x00ff_ffff_ffff_ffff

/// A pixel format's code in drm_fourcc.h, which gbm.h defines with a macro that Swift cannot
/// import.
private func fourCC(_ name: StaticString) -> UInt32 {
  name.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}
