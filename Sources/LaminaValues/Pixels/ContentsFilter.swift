/// How an image is sampled when it is drawn smaller or larger than it is. The order is the wire
/// code: append only.
package enum ContentsFilter: String, Sendable, CaseIterable {
  case linear, nearest, trilinear
}
