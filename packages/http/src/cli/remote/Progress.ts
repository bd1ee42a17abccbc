/**
 * How far a transfer is: a bar that is drawn anew on a terminal, a line now and then elsewhere. On standard error, so
 * that standard output holds the result alone.
 */
import type { WriteStream } from "node:tty"

export interface Progress {
  readonly add: (bytes: number) => void
  /** The last line: whole, or where it stopped. */
  readonly finish: () => void
}

/** Where it is drawn; `process.stderr` fits. */
export type Display = Pick<WriteStream, "write"> & { readonly isTTY?: boolean; readonly columns?: number }

/** Milliseconds between two drawings. */
const redraw = 100
const report = 5000

/** Milliseconds over which the rate is measured. */
const window = 5000

const units = ["B", "kB", "MB", "GB", "TB"]

/** SI units, one decimal: `1.5 MB`. */
export const bytes = (count: number): string => {
  let value = count
  let unit = 0
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return unit === 0 ? `${count} B` : `${value.toFixed(1)} ${units[unit]}`
}

/** `1:02:03`, `2:03`. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const rest = String(whole % 60).padStart(2, "0")
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`
}

/** Bytes per second over the last moments. */
const makeRate = (now: () => number) => {
  const samples: Array<readonly [at: number, bytes: number]> = [[now(), 0]]
  return (done: number): number => {
    const at = now()
    samples.push([at, done])
    while (samples.length > 2 && at - (samples[0]?.[0] ?? at) > window) samples.shift()
    const [since, before] = samples[0] ?? [at, done]
    return at > since ? ((done - before) * 1000) / (at - since) : 0
  }
}

const barOf = (fraction: number, width: number): string => {
  const full = Math.round(fraction * width)
  return `[${"#".repeat(full)}${"-".repeat(width - full)}]`
}

/** `total`: bytes; undefined when nobody knows. */
export const make = (
  label: string,
  total: number | undefined,
  display: Display = process.stderr,
  now: () => number = () => performance.now()
): Progress => {
  const isLive = display.isTTY === true
  const started = now()
  const rate = makeRate(now)
  let done = 0
  let drawn = started

  const line = (): string => {
    const speed = rate(done)
    const parts = [label]
    if (total !== undefined) {
      const fraction = total === 0 ? 1 : Math.min(1, done / total)
      if (isLive && (display.columns ?? 80) >= 72 + label.length) parts.push(barOf(fraction, 20))
      parts.push(`${Math.floor(fraction * 100)}%`, `${bytes(done)} of ${bytes(total)}`)
    } else parts.push(bytes(done))
    parts.push(`${bytes(Math.round(speed))}/s`)
    if (total !== undefined && done < total && speed > 0) parts.push(`ETA ${duration((total - done) / speed)}`)
    return parts.join("  ")
  }

  const draw = (): void => {
    drawn = now()
    display.write(isLive ? `\r\u001B[K${line()}` : `${line()}\n`)
  }

  return {
    add: (count) => {
      done += count
      if (now() - drawn >= (isLive ? redraw : report)) draw()
    },
    finish: () => {
      const seconds = Math.max((now() - started) / 1000, 0.001)
      const summary = `${label}  ${bytes(done)} in ${duration(seconds)}  ${bytes(Math.round(done / seconds))}/s`
      display.write(isLive ? `\r\u001B[K${summary}\n` : `${summary}\n`)
    }
  }
}
