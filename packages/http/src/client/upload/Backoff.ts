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

/** Whether the device says that it has no network. Servers say nothing. */
const isOffline = (): boolean =>
  (Reflect.get(globalThis, "navigator") as { readonly onLine?: boolean } | undefined)?.onLine === false

/** Milliseconds. Some browsers say that a device is offline which reaches its service, such as one in a network without the internet. */
const longestOffline = 300_000

/**
 * Resolves after some milliseconds; while the device has no network, when it has one again, at most five minutes later, since attempts
 * without one would only be used up. Resolves at once when the signal fires.
 */
export const waitToRetry = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const device = globalThis as unknown as EventTarget
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      // In Node, which is never offline here, the global object is no event target.
      if (isOffline()) device.removeEventListener("online", end)
      resolve()
    }
    const onTime = (): void => {
      if (!isOffline()) return end()
      device.addEventListener("online", end, { once: true })
      timer = setTimeout(end, longestOffline)
    }
    let timer = setTimeout(onTime, millis)
    signal?.addEventListener("abort", end)
    if (signal?.aborted === true) end()
  })
