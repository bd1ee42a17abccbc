/**
 * Plays HLS with hls.js.
 */

import * as Bandwidth from "./Bandwidth.js"
import * as Quality from "./Quality.js"

/** @import { Engine, Options } from "./Engine.js" */
/** @import { HlsConfig } from "hls.js" */

/** Seconds of played media that are kept for seeking back. */
const backBufferSeconds = 60

/**
 * Timeouts in milliseconds and numbers of retries for a segment. After these, hls.js reports a network error; the session then
 * queries the server and resumes.
 */
const loadPolicy = {
  maxTimeToFirstByteMs: 10_000,
  maxLoadTimeMs: 120_000,
  timeoutRetry: { maxNumRetry: 2, retryDelayMs: 0, maxRetryDelayMs: 0 },
  errorRetry: { maxNumRetry: 3, retryDelayMs: 500, maxRetryDelayMs: 2000 }
}

/**
 * hls.js begins with the best variant that this bandwidth permits. It measures the bandwidth by the segments from then on.
 *
 * @param {number | undefined} bitrate
 * @returns {Partial<HlsConfig>}
 */
const startWith = (bitrate) => (bitrate === undefined ? {} : { abrEwmaDefaultEstimate: bitrate })

/**
 * hls.js treats a growing playlist as a live stream. This configuration plays it from its beginning to its end.
 *
 * @param {number} position
 * @returns {Partial<HlsConfig>}
 */
const configuration = (position) => ({
  startPosition: position,
  ...startWith(Bandwidth.startBitrate()),
  liveSyncMode: "buffered",
  maxLiveSyncPlaybackRate: 1,
  backBufferLength: backBufferSeconds,
  capLevelToPlayerSize: true,
  fragLoadPolicy: { default: loadPolicy },
  // Transmuxing a segment takes milliseconds. A worker would be one more script to load.
  enableWorker: false,
  // It would start to load again at `position` when the media source opens, also after `startAt`. The types lack `undefined`.
  interstitialsController: /** @type {any} */ (undefined)
})

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
  const { default: Hls } = /** @type {typeof import("hls.js")} */ (await import(library))
  const hls = new Hls(configuration(position))
  hls.on(Hls.Events.LEVEL_LOADED, (_, { details }) => onExtent(details.edge, !details.live))
  hls.on(Hls.Events.AUDIO_TRACKS_UPDATED, (_, { audioTracks }) =>
    onAudio({
      all: audioTracks.map(({ lang, name }) => ({ label: name, language: lang })),
      selected: Math.max(
        audioTracks.findIndex((track) => track.default),
        0
      ),
      select: (index) => {
        hls.audioTrack = index
      }
    })
  )
  hls.on(Hls.Events.SUBTITLE_TRACKS_UPDATED, (_, { subtitleTracks }) =>
    onCaptions({
      all: subtitleTracks.map(({ lang, name }) => ({ label: name, language: lang })),
      selected: hls.subtitleTrack,
      select: (index) => {
        hls.subtitleDisplay = true
        hls.subtitleTrack = index
      }
    })
  )
  hls.on(Hls.Events.MANIFEST_PARSED, (_, { levels }) =>
    onQualities({
      all: levels.map((level) => ({ label: Quality.labelOf(level) })),
      selected: -1,
      select: (index) => {
        if (index < 0) hls.loadLevel = -1
        // Also replaces what is loaded in another quality.
        else hls.currentLevel = index
      }
    })
  )
  hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
    if (fatal) onFailure(type === Hls.ErrorTypes.NETWORK_ERROR ? "network" : "media")
  })
  hls.attachMedia(video)
  hls.loadSource(source)
  return {
    resume: () => {
      if (hls.levels.length === 0) return false
      // Loads again at once, without waiting for the next retry.
      hls.stopLoad()
      hls.startLoad()
      return true
    },
    startAt: (seconds) => {
      hls.stopLoad()
      hls.startLoad(seconds)
      if (video.readyState > 0) video.currentTime = seconds
    },
    destroy: () => hls.destroy()
  }
}
