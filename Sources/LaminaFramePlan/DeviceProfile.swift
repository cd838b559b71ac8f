/// The device's limits, and the way of lowering frames that suits it.
package struct DeviceProfile: Hashable, Sendable {
  package var maxTextureSize: Int
  /// Whether BGRA8 targets work; if not, frames are drawn as RGBA8 and swizzled.
  package var hasBGRA: Bool
  /// Whether the CPU rasterises, as with llvmpipe.
  package var isSoftware: Bool

  package init(maxTextureSize: Int, hasBGRA: Bool, isSoftware: Bool) {
    self.maxTextureSize = maxTextureSize
    self.hasBGRA = hasBGRA
    self.isSoftware = isSoftware
  }
}
