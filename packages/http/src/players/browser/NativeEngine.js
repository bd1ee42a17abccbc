/**
 * Plays HLS with the browser's own player, for browsers without MediaSource, as on older iPhones.
 */

/** @import { Engine, Options } from "./Engine.js" */

/**
 * @param {Options} options
 * @returns {Promise<Engine>}
 */
export const start = async ({ onExtent, onFailure, source, video }) => {
  const reportExtent = () => {
    const { duration, seekable } = video
    const isComplete = Number.isFinite(duration)
    onExtent(isComplete ? duration : seekable.length === 0 ? 0 : seekable.end(seekable.length - 1), isComplete)
  }
  const reportFailure = () => onFailure(video.error?.code === MediaError.MEDIA_ERR_NETWORK ? "network" : "media")
  const listeners = /** @type {const} */ ([
    ["loadedmetadata", reportExtent],
    ["durationchange", reportExtent],
    ["progress", reportExtent],
    ["error", reportFailure]
  ])
  for (const [name, listener] of listeners) video.addEventListener(name, listener)
  video.src = source
  return {
    resume: () => false,
    startAt: (seconds) => {
      video.currentTime = seconds
    },
    destroy: () => {
      for (const [name, listener] of listeners) video.removeEventListener(name, listener)
      video.removeAttribute("src")
      video.load()
    }
  }
}
