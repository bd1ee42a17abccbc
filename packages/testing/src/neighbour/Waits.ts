/**
 * The waits of requests that a thread sent at a steady rate, and their statistics.
 */

/** One request. A failed request has the time until its failure as its wait. */
export interface Wait {
  /** When the request was due, in milliseconds since the first one. */
  readonly dueMs: number
  /** From the time when the request was due to the last byte of its response. */
  readonly waitMs: number
  /** Why the request failed: a wrong status, an error of the connection, a timeout. */
  readonly failure?: string | undefined
}

export interface Waits {
  readonly requests: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly worstMs: number
  /** When the request with the longest wait was due, in milliseconds since the beginning. */
  readonly worstAtMs: number
  readonly failures: number
  /** The first failure. */
  readonly firstFailure: string | undefined
}

const quantile = (sorted: Float64Array, share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0

/** Returns the statistics of the requests that were due at `fromMs` or later. */
export const summarise = (all: ReadonlyArray<Wait>, fromMs = 0): Waits => {
  const waits = all.filter(({ dueMs }) => dueMs >= fromMs)
  const sorted = Float64Array.from(waits, ({ waitMs }) => waitMs).toSorted()
  const failed = waits.filter(({ failure }) => failure !== undefined)
  const worstMs = quantile(sorted, 1)
  return {
    requests: waits.length,
    medianMs: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    p999Ms: quantile(sorted, 0.999),
    worstMs,
    worstAtMs: (waits.find(({ waitMs }) => waitMs === worstMs)?.dueMs ?? fromMs) - fromMs,
    failures: failed.length,
    firstFailure: failed[0]?.failure
  }
}

const overlaps = (a: Wait, b: Wait): boolean => a.dueMs <= b.dueMs + b.waitMs && b.dueMs <= a.dueMs + a.waitMs

/**
 * Returns how much longer a request waited, at most, than every request to the bare HTTP server that was open at the same time.
 * A machine that gives neither of the two servers a processor makes both wait.
 */
export const worstBeyond = (waits: ReadonlyArray<Wait>, reference: ReadonlyArray<Wait>, fromMs = 0): number => {
  let worst = 0
  const longestFirst = waits.filter(({ dueMs }) => dueMs >= fromMs).toSorted((a, b) => b.waitMs - a.waitMs)
  for (const wait of longestFirst) {
    if (wait.waitMs <= worst) break
    let bareMs = 0
    for (const other of reference) if (overlaps(wait, other)) bareMs = Math.max(bareMs, other.waitMs)
    worst = Math.max(worst, wait.waitMs - bareMs)
  }
  return worst
}
