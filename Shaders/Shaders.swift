/// The GLSL ES 3.00 sources in `Programs/`, embedded in the binary.
///
/// A line `#include "name"` is replaced by the file `name.glsl`, which may not include others.
package enum ShaderSource {
  /// The vertex stage of the program with that name, with includes expanded; nil if there is no
  /// such file. An include that is a key of `replacing` is replaced by the file of the value.
  /// `macros` are defined first.
  package static func vertex(
    _ program: String, replacing: [String: String] = [:], macros: [String] = []
  ) -> String? {
    source(program + ".vert", replacing, macros)
  }

  /// The fragment stage, in the same way.
  package static func fragment(
    _ program: String, replacing: [String: String] = [:], macros: [String] = []
  ) -> String? {
    source(program + ".frag", replacing, macros)
  }

  /// Total size in bytes of the embedded shaders.
  package static var byteCount: Int { files.values.reduce(0) { $0 + $1.count } }

  private static func source(
    _ file: String, _ replacing: [String: String], _ macros: [String]
  ) -> String? {
    guard let text = files[file].map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in included(line, replacing) ?? String(line) }
    // The version must remain the first line.
    lines.insert(contentsOf: macros.map { "#define \($0)" }, at: 1)
    return lines.joined(separator: "\n")
  }

  private static func included(
    _ line: Substring, _ replacing: [String: String]
  ) -> String? {
    let directive = "#include \""
    guard line.hasPrefix(directive), line.hasSuffix("\"") else { return nil }
    let name = String(line.dropFirst(directive.count).dropLast())
    return files[(replacing[name] ?? name) + ".glsl"].map { String(decoding: $0, as: UTF8.self) }
  }

  private static let files: [String: [UInt8]] = [
    "alpha.frag": PackageResources.alpha_frag,
    "arrayLayer.glsl": PackageResources.arrayLayer_glsl,
    "arraySource.glsl": PackageResources.arraySource_glsl,
    "blended.frag": PackageResources.blended_frag,
    "blendModes.glsl": PackageResources.blendModes_glsl,
    "colorMatrix.frag": PackageResources.colorMatrix_frag,
    "colorMatrix.vert": PackageResources.colorMatrix_vert,
    "doubled.frag": PackageResources.doubled_frag,
    "doubledDown.frag": PackageResources.doubledDown_frag,
    "halved.frag": PackageResources.halved_frag,
    "gaussian.frag": PackageResources.gaussian_frag,
    "gaussian.vert": PackageResources.gaussian_vert,
    "resampled.glsl": PackageResources.resampled_glsl,
    "continuousCorners.glsl": PackageResources.continuousCorners_glsl,
    "corners.glsl": PackageResources.corners_glsl,
    "coverage.glsl": PackageResources.coverage_glsl,
    "edges.glsl": PackageResources.edges_glsl,
    "group.frag": PackageResources.group_frag,
    "group.glsl": PackageResources.group_glsl,
    "group.vert": PackageResources.group_vert,
    "groupEdges.frag": PackageResources.groupEdges_frag,
    "groupEdges.vert": PackageResources.groupEdges_vert,
    "groupMasked.frag": PackageResources.groupMasked_frag,
    "groupMasked.vert": PackageResources.groupMasked_vert,
    "groupMix.frag": PackageResources.groupMix_frag,
    "groupRounded.frag": PackageResources.groupRounded_frag,
    "groupRounded.vert": PackageResources.groupRounded_vert,
    "imageColor.glsl": PackageResources.imageColor_glsl,
    "image.frag": PackageResources.image_frag,
    "image.vert": PackageResources.image_vert,
    "imageEdges.frag": PackageResources.imageEdges_frag,
    "imageEdges.vert": PackageResources.imageEdges_vert,
    "interpolation.glsl": PackageResources.interpolation_glsl,
    "mipmappedSource.glsl": PackageResources.mipmappedSource_glsl,
    "position.glsl": PackageResources.position_glsl,
    "radial.frag": PackageResources.radial_frag,
    "radial.vert": PackageResources.radial_vert,
    "rounded.frag": PackageResources.rounded_frag,
    "rounded.vert": PackageResources.rounded_vert,
    "roundedBorder.frag": PackageResources.roundedBorder_frag,
    "roundedImage.frag": PackageResources.roundedImage_frag,
    "roundedImage.vert": PackageResources.roundedImage_vert,
    "shadow.frag": PackageResources.shadow_frag,
    "shape.glsl": PackageResources.shape_glsl,
    "sourceLayer.glsl": PackageResources.sourceLayer_glsl,
    "tinted.glsl": PackageResources.tinted_glsl,
    "shiftedSource.glsl": PackageResources.shiftedSource_glsl,
    "source.glsl": PackageResources.source_glsl,
    "solid.frag": PackageResources.solid_frag,
    "solid.vert": PackageResources.solid_vert,
    "solidEdges.frag": PackageResources.solidEdges_frag,
    "solidEdges.vert": PackageResources.solidEdges_vert,
  ]
}
