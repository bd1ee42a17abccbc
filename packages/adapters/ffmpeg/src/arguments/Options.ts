/**
 * Options of FFmpeg's programs: `{ f: "hls", y: true }` for `-f hls -y`.
 */
export interface Options {
  readonly [name: string]: string | number | true | undefined
}

/** The arguments, in the same order. An option that is undefined is left out. */
export const make = (options: Options): ReadonlyArray<string> =>
  Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return []
    return value === true ? [`-${name}`] : [`-${name}`, String(value)]
  })
