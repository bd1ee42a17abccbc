/**
 * Delays between two queries to the server.
 */

/** Milliseconds. */
const shortest = 1000
const longest = 5000

/**
 * Returns a function that waits. Each wait is longer than the one before, up to a limit. It ends at once when the network
 * comes back.
 *
 * @returns {() => Promise<void>}
 */
export const make = () => {
  let next = shortest
  return () =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        removeEventListener("online", end)
        resolve()
      }
      const timer = setTimeout(end, next)
      addEventListener("online", end)
      next = Math.min(next * 1.25, longest)
    })
}
