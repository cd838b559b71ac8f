/// A format of image files.
enum ImageFormat: String, CaseIterable {
  case png = "public.png"
  case jpeg = "public.jpeg"
  case webP = "org.webmproject.webp"
}

/// What an image file says of its pixels.
struct ImageHeader {
  var format: ImageFormat
  /// In pixels, as stored: before the orientation is applied.
  var width = 0
  var height = 0
  var bitsPerComponent = 8
  var components = ColorProfile.Components.rgb
  var hasAlpha = false
  var isIndexed = false
  var orientation = ExifOrientation.topLeft
  /// The bytes of an ICC profile, or what is there instead of one; nil if there is none.
  var profile: [UInt8]?
}
