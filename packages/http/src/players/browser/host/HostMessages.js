/**
 * Messages between the player and the page that shows it in a frame. The page sends commands; the player sends what happens. No
 * message contains an address or a key.
 */
import * as Theme from "../controls/Theme.js"
import * as Playback from "../Playback.js"
import * as View from "../View.js"

const { stage, video } = View

/** The property of every message, by which the other side knows it. */
const source = "holdfast-player"

const events = ["play", "pause", "ended", "seeking", "seeked", "timeupdate", "volumechange", "ratechange"]

/** @param {unknown} value @returns {number | undefined} */
const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)

/** @param {number} value @param {number} min @param {number} max */
const within = (value, min, max) => Math.min(Math.max(value, min), max)

/** What each command does with its value. @type {Readonly<Record<string, (value: unknown) => void>>} */
const commands = {
  play: () => void Playback.start(),
  pause: () => video.pause(),
  seek: (value) => {
    video.currentTime = Math.max(number(value) ?? video.currentTime, 0)
  },
  volume: (value) => {
    video.volume = within(number(value) ?? video.volume, 0, 1)
  },
  muted: (value) => {
    video.muted = value === true
  },
  speed: (value) => {
    video.playbackRate = within(number(value) ?? video.playbackRate, 0.25, 4)
  },
  accent: (value) => {
    if (typeof value === "string" && CSS.supports("color", value)) stage.style.setProperty("--accent", value)
  },
  theme: (value) => {
    if (typeof value === "string") Theme.apply(value)
  }
}

/** @param {string} type @param {object} [more] */
const send = (type, more) =>
  parent.postMessage(
    {
      source,
      type,
      time: video.currentTime,
      duration: Number.isFinite(video.duration) ? video.duration : null,
      paused: video.paused,
      muted: video.muted,
      volume: video.volume,
      speed: video.playbackRate,
      ...more
    },
    // Which pages may show the player is decided by `frame-ancestors`.
    "*"
  )

/** Does nothing unless the page is in a frame. */
export const prepare = () => {
  if (parent === window) return
  addEventListener("message", (event) => {
    if (event.source !== parent) return
    const { command, target, value } = /** @type {Record<string, unknown>} */ (Object(event.data))
    if (target !== source || typeof command !== "string" || !Object.hasOwn(commands, command)) return
    commands[command]?.(value)
  })
  for (const type of events) video.addEventListener(type, () => send(type))
  video.addEventListener("loadedmetadata", () => send("ready"))
  stage.addEventListener("refused", (event) => send("error", /** @type {CustomEvent} */ (event).detail))
}
