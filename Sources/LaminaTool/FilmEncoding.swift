import Foundation

/// How ffmpeg encodes films. The same frames give the same bytes, whatever the machine's processors
/// and their number.
enum FilmEncoding {
  /// Without what differs from run to run, such as versions and random names of tracks.
  static let exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact"]

  /// The number of threads decides an encoder's output, so it does not follow the machine's.
  private static let threads = ["-threads", "8"]

  /// The arguments for ffmpeg's output. A piece of a film has a label.
  static func arguments(
    for format: OutputForm.FilmFormat, keepsTransparency: Bool, label: SegmentLabel? = nil
  ) -> [String] {
    let exact = exact + (label?.arguments ?? [])
    // 4:2:0 needs even sides; sRGB's primaries are BT.709's.
    let video =
      "pad=ceil(iw/2)*2:ceil(ih/2)*2,"
      + "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd+bitexact"
    let tags = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
    switch format {
    case .mp4:
      return ["-vf", video + ",format=yuv420p", "-c:v", "libx264", "-crf", "16"] + tags + threads
        + exact + [
          "-movflags", "+faststart" + (label == nil ? "" : "+use_metadata_tags"), "-f", "mp4",
        ]
    case .webm:
      return [
        "-vf", video + ",format=" + (keepsTransparency ? "yuva420p" : "yuv420p"), "-c:v",
        "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1",
      ] + tags + threads + exact + ["-cluster_time_limit", "1000", "-f", "webm"]
    case .gif:
      let transparent = keepsTransparency ? "1" : "0"
      return [
        "-vf",
        "split[a][b];[a]palettegen=reserve_transparent=\(transparent)[p];[b][p]paletteuse",
        "-loop", "0",
      ] + exact + ["-f", "gif"]
    case .apng:
      return ["-pix_fmt", keepsTransparency ? "rgba" : "rgb24", "-plays", "0"] + exact
        + ["-f", "apng"]
    }
  }
}
