/**
 * Bounds how many reads of files run at once. libuv has four threads by default: more reads at once only make its queue longer, in
 * which the writes of uploads wait, too. And when a thousand reads are complete, their callbacks run one after the other, each
 * with a write to a socket, and no request is answered meanwhile: with 1,000 clients another one waited for 3.5 seconds.
 */

/** Starts a read, which calls `release` when it is complete. */
export type Read = (release: () => void) => void

/** Returns a function that starts reads in the order in which they come, at most `size` at once. */
export const make = (size: number): ((read: Read) => void) => {
  const waiting = new Set<Read>()
  let running = 0
  let isStarting = false

  const startWaiting = (): void => {
    // A read that calls `release` at once must not start the next one recursively: thousands may do so.
    if (isStarting) return
    isStarting = true
    for (const read of waiting) {
      if (running === size) break
      waiting.delete(read)
      start(read)
    }
    isStarting = false
  }

  const release = (): void => {
    running--
    startWaiting()
  }

  const start = (read: Read): void => {
    running++
    read(release)
  }

  return (read) => {
    if (running < size && waiting.size === 0) start(read)
    else waiting.add(read)
  }
}
