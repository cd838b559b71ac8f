import Foundation
import Synchronization

#if LAMINA_THREAD_SANITIZER
  /// A value that only one thread at a time uses. Its lock is one that ThreadSanitizer understands;
  /// the sanitizer does not see `Synchronization.Mutex` work and reports false races.
  package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ initialValue: consuming sending Value) {
      pthread_mutex_init(mutex, nil)
      value.initialize(to: initialValue)
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }
  }
#else
  /// A value that only one thread at a time uses.
  package typealias Lock = Mutex
#endif
