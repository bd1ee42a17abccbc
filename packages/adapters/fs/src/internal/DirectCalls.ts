/**
 * Decides where short file operations run: on the calling thread, or in the thread pool of Node.
 *
 * To create, write or rename a small file changes the page cache only, which takes 5 to 20 µs, and to read 256 KiB from it takes less
 * than 100 µs. The way to the thread pool and back takes more of the calling thread. So these operations run on it until one takes so long
 * that it must have waited for a device, a lock of the file system or a network. Then the thread pool runs them for a multiple of that time:
 * even a slow disk blocks the event loop for a small share of the time only. A sync always waits for a device, so it never runs on the
 * calling thread.
 */
export interface DirectCalls {
  /** Whether the next operation may run on the calling thread. */
  readonly isFast: () => boolean
  /** Runs an operation on the calling thread. */
  readonly run: <A>(operation: () => A) => A
}

export interface Options {
  /** An operation that takes more milliseconds than this is slow. */
  readonly maxMillis: number
  /** After a slow operation, `isFast` is false for this many times its duration. */
  readonly poolFactor: number
  /** Returns the time of the monotonic clock in milliseconds. */
  readonly now?: () => number
}

export const make = ({ maxMillis, now = () => performance.now(), poolFactor }: Options): DirectCalls => {
  let slowUntil = -Infinity
  return {
    isFast: () => now() >= slowUntil,
    run: (operation) => {
      const begin = now()
      try {
        return operation()
      } finally {
        const end = now()
        if (end - begin > maxMillis) slowUntil = end + (end - begin) * poolFactor
      }
    }
  }
}
