/**
 * Parses the output of `ffmpeg -progress`: lines of `name=value`, in blocks that end with `progress=continue` or
 * `progress=end`.
 */

/** Returns the seconds of output so far; undefined for other lines, and while there is no output. */
export const seconds = (line: string): number | undefined => {
  const [, value] = /^out_time_us=(\d+)$/.exec(line) ?? []
  return value === undefined ? undefined : Number(value) / 1_000_000
}

/** Whether the line is the last one of a block. */
export const endsBlock = (line: string): boolean => line.startsWith("progress=")
