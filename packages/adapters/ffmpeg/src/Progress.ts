/**
 * What `ffmpeg -progress` writes: lines of `name=value`, in blocks that end with `progress=continue` or `progress=end`.
 */

/** How far it is, in seconds of the result; undefined for every other line, and before there is a result. */
export const seconds = (line: string): number | undefined => {
  const [, value] = /^out_time_us=(\d+)$/.exec(line) ?? []
  return value === undefined ? undefined : Number(value) / 1_000_000
}

export const endsBlock = (line: string): boolean => line.startsWith("progress=")
