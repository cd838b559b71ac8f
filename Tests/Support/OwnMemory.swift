import Foundation

/// Bytes of memory that a process alone has; 0 if it is gone.
public func ownMemory(of process: Int32) -> Int {
  let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
}
