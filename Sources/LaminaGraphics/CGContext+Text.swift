/// What text is drawn as.
public enum CGTextDrawingMode: Int32, Sendable {
  case fill = 0
  case stroke, fillStroke, invisible, fillClip, strokeClip, fillStrokeClip, clip
}
