/**
 * Plays DASH with dash.js.
 */

import * as Bandwidth from "./Bandwidth.js"
import * as Quality from "./Quality.js"

/** @import { Engine, Options } from "./Engine.js" */
/** @import { MediaInfo, MediaPlayerSettingClass } from "dashjs" */

/** Codes of network errors: a manifest, a segment or an initialization segment was not loaded. */
const networkErrors = new Set([11, 17, 25, 27, 28])

/** Without a bitrate, dash.js chooses one by the initialization segments. @param {number | undefined} bitrate */
const startWith = (bitrate) => (bitrate === undefined ? {} : { initialBitrate: { video: Math.ceil(bitrate / 1000) } })

/** No console output, and no data stored in the browser. @returns {MediaPlayerSettingClass} */
const configuration = () => ({
  debug: { logLevel: 0 },
  streaming: {
    lastBitrateCachingInfo: { enabled: false },
    lastMediaSettingsCachingInfo: { enabled: false },
    utcSynchronization: { enabled: false },
    abr: { limitBitrateByPortal: true, ...startWith(Bandwidth.startBitrate()) },
    // The viewer turns captions on.
    text: { defaultEnabled: false }
  }
})

/** @param {MediaInfo} track */
const toChoice = ({ labels, lang }) => ({ label: labels[0]?.text ?? lang ?? "", language: lang ?? undefined })

/** Hides the storage, which dash.js tests when it is loaded, so that it stores nothing. */
const hideStorage = () => Object.defineProperty(globalThis, "localStorage", { value: undefined, configurable: true })

/**
 * @param {Options} options
 * @returns {Promise<Engine>}
 */
export const start = async ({
  library,
  onAudio,
  onCaptions,
  onExtent,
  onFailure,
  onQualities,
  position,
  source,
  video
}) => {
  hideStorage()
  const { MediaPlayer } = /** @type {typeof import("dashjs")} */ (await import(library))
  const player = MediaPlayer().create()
  player.updateSettings(configuration())
  player.on(MediaPlayer.events.ERROR, ({ error }) => {
    const code = typeof error === "object" && "code" in error ? error.code : undefined
    onFailure(code !== undefined && networkErrors.has(code) ? "network" : "media")
  })
  player.on(MediaPlayer.events.STREAM_INITIALIZED, () => {
    const texts = player.getTracksFor("text")
    onCaptions({ all: texts.map(toChoice), selected: -1, select: (index) => player.setTextTrack(index) })
    // The representations themselves are known only later.
    const renditions = player.getCurrentTrackFor("video")?.bitrateList ?? []
    onQualities({
      all: renditions.map(({ bandwidth = 0, height = 0, width = 0 }) => ({
        label: Quality.label(width, height, bandwidth)
      })),
      selected: -1,
      select: (index) => {
        const isAuto = index < 0
        player.updateSettings({
          streaming: { abr: { autoSwitchBitrate: { video: isAuto }, limitBitrateByPortal: isAuto } }
        })
        // Also replaces what is loaded in another quality.
        const id = renditions[index]?.id
        if (id !== undefined && id !== null) player.setRepresentationForTypeById("video", id, true)
      }
    })
    const tracks = player.getTracksFor("audio")
    const current = player.getCurrentTrackFor("audio")
    onAudio({
      all: tracks.map(toChoice),
      selected: Math.max(
        tracks.findIndex(({ index }) => index === current?.index),
        0
      ),
      select: (index) => {
        const track = tracks[index]
        if (track !== undefined) player.setCurrentTrack(track)
      }
    })
  })
  const reportExtent = () => onExtent(video.duration, true)
  // Not earlier: before this event, dash.js itself seeks to the start position, or to the end if that is later.
  video.addEventListener("loadeddata", reportExtent)
  player.initialize(video, undefined, false)
  player.attachSource(source, position)
  return {
    resume: () => false,
    startAt: (seconds) => {
      video.currentTime = seconds
    },
    destroy: () => {
      video.removeEventListener("loadeddata", reportExtent)
      player.destroy()
    }
  }
}
