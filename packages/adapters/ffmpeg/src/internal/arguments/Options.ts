/**
 * Options of FFmpeg's programs: `{ f: "hls", y: true }` is `-f hls -y`.
 */
export interface Options {
  readonly [name: string]: string | number | true | undefined
}

/** Returns the arguments in the same order, without options that are undefined. */
export const make = (options: Options): ReadonlyArray<string> =>
  Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return []
    return value === true ? [`-${name}`] : [`-${name}`, String(value)]
  })
