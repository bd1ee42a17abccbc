/**
 * Waiting between two questions to the server.
 */

const shortest = 1000
const longest = 5000

/**
 * Pauses that become longer, up to a limit; each ends at once when the network comes back.
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
