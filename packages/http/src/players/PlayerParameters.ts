/**
 * What the address of a player page asks for: eight query parameters. A value that makes no sense is ignored, as if it
 * were not there, since whoever embeds a player sees no error message inside a frame.
 */

export interface PlayerParameters {
  /** Whether the browser's own controls are shown. */
  readonly controls: boolean
  /** Whether it plays by itself, silently where the browser allows no more. */
  readonly autoplay: boolean
  readonly muted: boolean
  /** Begins again at the end. */
  readonly repeat: boolean
  /** CSS pixels; undefined to follow the other side, or to fill the frame when that is undefined too. */
  readonly width: number | undefined
  readonly height: number | undefined
  /** Seconds from the beginning. */
  readonly seek: number
  /** 1 is the speed of the recording. */
  readonly speed: number
}

/** The slowest and the fastest that browsers play with sound. */
export const slowest = 0.25
export const fastest = 4

/** CSS pixels: the longer side of 8K. */
export const largestSide = 7680

/** Without parameters a player can be used: it has controls, and waits until it is told to play. */
export const defaults: PlayerParameters = {
  controls: true,
  autoplay: false,
  muted: false,
  repeat: false,
  width: undefined,
  height: undefined,
  seek: 0,
  speed: 1
}

/** `true`, `1` or an empty value, so that `?muted` is enough; `false` or `0`. */
const flag = (text: string): boolean | undefined => {
  const word = text.toLowerCase()
  if (word === "true" || word === "1" || word === "") return true
  return word === "false" || word === "0" ? false : undefined
}

const side = (text: string): number | undefined => {
  if (!/^0*[1-9]\d{0,3}$/.test(text)) return undefined
  const pixels = Number(text)
  return pixels <= largestSide ? pixels : undefined
}

const clock = /^(?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,8}(?:\.\d{1,9})?)s)?$/i

/** Seconds, as in `90` and `90.5`, or `1h2m3s`, of which any part may be missing. */
const time = (text: string): number | undefined => {
  if (/^\d{1,8}(?:\.\d{1,9})?$/.test(text)) return Number(text)
  const parts = text === "" ? null : clock.exec(text)
  if (parts === null) return undefined
  const [, hours = "0", minutes = "0", seconds = "0"] = parts
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

const rate = (text: string): number | undefined =>
  /^(?:\d{1,4}(?:\.\d{0,9})?|\.\d{1,9})$/.test(text) ? Math.min(Math.max(Number(text), slowest), fastest) : undefined

/** Reads the parameters out of a query. Of one that is given twice, the first counts. */
export const parse = (query: URLSearchParams): PlayerParameters => {
  const read = <A>(name: string, from: (text: string) => A | undefined, otherwise: A): A => {
    const text = query.get(name)
    return text === null ? otherwise : (from(text.trim()) ?? otherwise)
  }
  return {
    controls: read("controls", flag, defaults.controls),
    autoplay: read("autoplay", flag, defaults.autoplay),
    muted: read("muted", flag, defaults.muted),
    repeat: read("repeat", flag, defaults.repeat),
    width: read("width", side, defaults.width),
    height: read("height", side, defaults.height),
    seek: read("seek", time, defaults.seek),
    speed: read("speed", rate, defaults.speed)
  }
}
