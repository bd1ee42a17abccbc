/**
 * HLS by hls.js.
 */

/** @import { Engine, Options } from "./Engine.js" */
/** @import { HlsConfig } from "hls.js" */

/** Seconds that have been played and are kept, for going back. */
const behind = 60

/** Milliseconds and times. What does not come after these is looked into, and then asked for anew. */
const patience = {
  maxTimeToFirstByteMs: 10_000,
  maxLoadTimeMs: 120_000,
  timeoutRetry: { maxNumRetry: 2, retryDelayMs: 0, maxRetryDelayMs: 0 },
  errorRetry: { maxNumRetry: 3, retryDelayMs: 500, maxRetryDelayMs: 2000 }
}

/**
 * A playlist that grows is a live stream to hls.js; it is played from its beginning to its end all the same.
 *
 * @param {number} position
 * @returns {Partial<HlsConfig>}
 */
const configuration = (position) => ({
  startPosition: position,
  liveSyncMode: "buffered",
  maxLiveSyncPlaybackRate: 1,
  backBufferLength: behind,
  capLevelToPlayerSize: true,
  fragLoadPolicy: { default: patience },
  // Repackaging a segment takes milliseconds; a worker would be one more script to load.
  enableWorker: false
})

/**
 * @param {Options} options
 * @returns {Promise<Engine>}
 */
export const start = async ({ library, onExtent, onTrouble, position, source, video }) => {
  const { default: Hls } = /** @type {typeof import("hls.js")} */ (await import(library))
  const hls = new Hls(configuration(position))
  hls.on(Hls.Events.LEVEL_LOADED, (_, { details }) => onExtent(details.edge, !details.live))
  hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
    if (fatal) onTrouble(type === Hls.ErrorTypes.NETWORK_ERROR ? "network" : "media")
  })
  hls.attachMedia(video)
  hls.loadSource(source)
  return {
    resume: () => {
      if (hls.levels.length === 0) return false
      // What waits for its next try is not waited for.
      hls.stopLoad()
      hls.startLoad()
      return true
    },
    begin: (seconds) => {
      hls.stopLoad()
      hls.startLoad(seconds)
      if (video.readyState > 0) video.currentTime = seconds
    },
    destroy: () => hls.destroy()
  }
}
