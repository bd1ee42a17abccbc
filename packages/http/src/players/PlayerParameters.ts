/**
 * The eight query parameters of a player page. An invalid value is ignored, because an error message in a frame would reach
 * the viewer instead of the author of the embedding page.
 */

export interface PlayerParameters {
  /** Whether the controls are shown. */
  readonly controls: boolean
  /** Whether it plays without a click; muted if the browser allows nothing else. */
  readonly autoplay: boolean
  readonly muted: boolean
  /** Whether it repeats at the end. */
  readonly repeat: boolean
  /** CSS pixels. If undefined, it follows from the other side; if both are undefined, the video fills the frame. */
  readonly width: number | undefined
  readonly height: number | undefined
  /** Seconds from the beginning. */
  readonly seek: number
  /** 1 is normal speed. */
  readonly speed: number
}

/** The range of speeds at which browsers play sound. */
export const minSpeed = 0.25
export const maxSpeed = 4

/** CSS pixels: the longer side of 8K. */
export const maxSide = 7680

/** Without parameters, the player has controls and does not play until the viewer starts it. */
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

/** Parses `true`, `1` or an empty value (as in `?muted`), and `false` or `0`. */
const flag = (text: string): boolean | undefined => {
  const word = text.toLowerCase()
  if (word === "true" || word === "1" || word === "") return true
  return word === "false" || word === "0" ? false : undefined
}

const side = (text: string): number | undefined => {
  if (!/^0*[1-9]\d{0,3}$/.test(text)) return undefined
  const pixels = Number(text)
  return pixels <= maxSide ? pixels : undefined
}

const clock = /^(?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,8}(?:\.\d{1,9})?)s)?$/i

/** Parses seconds, as in `90` and `90.5`, or `1h2m3s`, in which each part is optional. */
const time = (text: string): number | undefined => {
  if (/^\d{1,8}(?:\.\d{1,9})?$/.test(text)) return Number(text)
  const parts = text === "" ? null : clock.exec(text)
  if (parts === null) return undefined
  const [, hours = "0", minutes = "0", seconds = "0"] = parts
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

const rate = (text: string): number | undefined =>
  /^(?:\d{1,4}(?:\.\d{0,9})?|\.\d{1,9})$/.test(text) ? Math.min(Math.max(Number(text), minSpeed), maxSpeed) : undefined

/** Parses the parameters in a query. The first of several values of a parameter counts. */
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
