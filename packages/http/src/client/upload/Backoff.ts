/**
 * When to try a request again.
 */
import { HoldfastError } from "../HoldfastError.ts"

const retryable: ReadonlySet<string> = new Set(["network_error", "rate_limited", "request_timeout", "unavailable"])

/** Statuses of a proxy whose service restarts, and of answers to `HEAD`, which have no problem document. */
const retryableStatuses: ReadonlySet<number | undefined> = new Set([408, 429, 502, 503, 504])

const isRetryable = ({ code, status }: HoldfastError): boolean =>
  retryable.has(code) || (code === "unexpected_answer" && retryableStatuses.has(status))

/** Waits for what the service asks for, or twice as long as before, from one second to one minute. */
export const defaultBackoff = (error: unknown, attempts: number): number | undefined => {
  if (!(error instanceof HoldfastError) || !isRetryable(error)) return undefined
  if (error.retryAfter !== undefined) return error.retryAfter * 1000
  // At random, so that the clients of a service that restarts do not all return at once.
  return Math.min(60_000, 1000 * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2)
}

/** Resolves after some milliseconds, or when the signal fires. */
export const sleep = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    signal?.addEventListener("abort", end)
    if (signal?.aborted === true) end()
  })
