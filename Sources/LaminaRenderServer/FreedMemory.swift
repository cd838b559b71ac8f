import CLinux
import Foundation

/// Memory that was freed in this process and that malloc keeps. It would count as the process's.
enum FreedMemory {
  /// glibc's malloc prepares itself when it is first used. If the program has another malloc, that
  /// is here, and a thread that came meanwhile would find it half prepared.
  private static let isPrepared = mallinfo2().arena >= 0

  static var byteCount: Int { isPrepared ? Int(clamping: mallinfo2().fordblks) : 0 }

  static func giveBack() { if isPrepared { malloc_trim(0) } }
}
