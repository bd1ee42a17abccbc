/**
 * Estimates the bandwidth before the first segment, so that playback begins soon over a slow line, and with a good picture over a fast one.
 */

/** Bytes of a file that is large enough to measure the line. */
const minBytes = 20_000

/** Bits per second. More makes no difference. */
const maxBandwidth = 50_000_000

/** The part of the bandwidth that the first segments may need: four seconds of them are loaded in 1.4 seconds. */
const startShare = 0.35

/** The bandwidth with which the largest file of the page was loaded; undefined if the browser had it already. */
const measured = () => {
  const all = /** @type {Array<PerformanceResourceTiming>} */ (performance.getEntriesByType("resource"))
  const [largest] = all
    .filter(({ transferSize }) => transferSize >= minBytes)
    .toSorted((a, b) => b.transferSize - a.transferSize)
  if (largest === undefined) return undefined
  const millis = Math.max(1, largest.responseEnd - largest.responseStart)
  return (8000 * largest.encodedBodySize) / millis
}

/** What the browser says of the line: in steps, rounded, and in Chromium alone. */
const stated = () => {
  const { connection } = /** @type {Navigator & { readonly connection?: { readonly downlink?: number } }} */ (navigator)
  return connection?.downlink === undefined ? undefined : 1_000_000 * connection.downlink
}

/** Returns the bits per second that the first segments may have; undefined if nothing is known of the line. */
export const startBitrate = () => {
  const bandwidth = measured() ?? stated()
  return bandwidth === undefined ? undefined : Math.round(startShare * Math.min(bandwidth, maxBandwidth))
}
