/**
 * Shows the progress of a transfer: on a terminal as a bar that is redrawn, elsewhere as a line every few seconds. It
 * goes to standard error, so that standard output contains only the result.
 */
import type { WriteStream } from "node:tty"

export interface Progress {
  /** Adds transferred bytes. */
  readonly add: (bytes: number) => void
  /** Prints the last line: what was transferred, completely or not. */
  readonly finish: () => void
}

/** The output, such as `process.stderr`. */
export type Display = Pick<WriteStream, "write"> & { readonly isTTY?: boolean; readonly columns?: number }

/** Milliseconds between two updates on a terminal. */
const redrawInterval = 100
/** Milliseconds between two lines elsewhere. */
const lineInterval = 5000

/** Milliseconds over which the rate is averaged. */
const rateWindow = 5000

const units = ["B", "kB", "MB", "GB", "TB"]

/** Formats bytes with SI units and one decimal: `1.5 MB`. */
export const formatBytes = (count: number): string => {
  let value = count
  let unit = 0
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return unit === 0 ? `${count} B` : `${value.toFixed(1)} ${units[unit]}`
}

/** Formats seconds as `1:02:03` or `2:03`. */
export const formatDuration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const rest = String(whole % 60).padStart(2, "0")
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`
}

/** Makes a function that returns the bytes per second over the last `rateWindow`. */
const makeRate = (now: () => number) => {
  const samples: Array<readonly [at: number, bytes: number]> = [[now(), 0]]
  return (done: number): number => {
    const at = now()
    samples.push([at, done])
    while (samples.length > 2 && at - (samples[0]?.[0] ?? at) > rateWindow) samples.shift()
    const [since, before] = samples[0] ?? [at, done]
    return at > since ? ((done - before) * 1000) / (at - since) : 0
  }
}

const renderBar = (fraction: number, width: number): string => {
  const full = Math.round(fraction * width)
  return `[${"#".repeat(full)}${"-".repeat(width - full)}]`
}

/**
 * Starts showing the progress of a transfer.
 *
 * @param total Bytes; undefined if unknown.
 * @param now Milliseconds of a monotonic clock.
 */
export const make = (
  label: string,
  total: number | undefined,
  display: Display = process.stderr,
  now: () => number = () => performance.now()
): Progress => {
  const isTerminal = display.isTTY === true
  const started = now()
  const rate = makeRate(now)
  let done = 0
  let drawnAt = started

  const line = (): string => {
    const speed = rate(done)
    const parts = [label]
    if (total !== undefined) {
      const fraction = total === 0 ? 1 : Math.min(1, done / total)
      if (isTerminal && (display.columns ?? 80) >= 72 + label.length) parts.push(renderBar(fraction, 20))
      parts.push(`${Math.floor(fraction * 100)}%`, `${formatBytes(done)} of ${formatBytes(total)}`)
    } else parts.push(formatBytes(done))
    parts.push(`${formatBytes(Math.round(speed))}/s`)
    if (total !== undefined && done < total && speed > 0) parts.push(`ETA ${formatDuration((total - done) / speed)}`)
    return parts.join("  ")
  }

  const draw = (): void => {
    drawnAt = now()
    display.write(isTerminal ? `\r\u001B[K${line()}` : `${line()}\n`)
  }

  return {
    add: (count) => {
      done += count
      if (now() - drawnAt >= (isTerminal ? redrawInterval : lineInterval)) draw()
    },
    finish: () => {
      const seconds = Math.max((now() - started) / 1000, 0.001)
      const summary = `${label}  ${formatBytes(done)} in ${formatDuration(seconds)}  ${formatBytes(Math.round(done / seconds))}/s`
      display.write(isTerminal ? `\r\u001B[K${summary}\n` : `${summary}\n`)
    }
  }
}
