/**
 * DASH by dash.js.
 */

/** @import { Engine, Options } from "./Engine.js" */
/** @import { MediaPlayerSettingClass } from "dashjs" */

/** Codes of errors that the network is to blame for: a manifest, a segment or an initialization that did not come. */
const network = new Set([11, 17, 25, 27, 28])

/** Nothing is written to the console, and nothing kept in the browser. @type {MediaPlayerSettingClass} */
const configuration = {
  debug: { logLevel: 0 },
  streaming: {
    lastBitrateCachingInfo: { enabled: false },
    lastMediaSettingsCachingInfo: { enabled: false },
    utcSynchronization: { enabled: false },
    abr: { limitBitrateByPortal: true }
  }
}

/** dash.js tries on loading whether it may store something; what it finds is that there is no such thing. */
const hideStorage = () => Object.defineProperty(globalThis, "localStorage", { value: undefined, configurable: true })

/**
 * @param {Options} options
 * @returns {Promise<Engine>}
 */
export const start = async ({ library, onExtent, onTrouble, position, source, video }) => {
  hideStorage()
  const { MediaPlayer } = /** @type {typeof import("dashjs")} */ (await import(library))
  const player = MediaPlayer().create()
  player.updateSettings(configuration)
  player.on(MediaPlayer.events.ERROR, ({ error }) => {
    const code = typeof error === "object" && "code" in error ? error.code : undefined
    onTrouble(code !== undefined && network.has(code) ? "network" : "media")
  })
  const tell = () => onExtent(video.duration, true)
  // Not earlier: until then dash.js goes where it was told to begin, or to the end when there is no such moment.
  video.addEventListener("loadeddata", tell)
  player.initialize(video, undefined, false)
  player.attachSource(source, position)
  return {
    resume: () => false,
    begin: (seconds) => {
      video.currentTime = seconds
    },
    destroy: () => {
      video.removeEventListener("loadeddata", tell)
      player.destroy()
    }
  }
}
