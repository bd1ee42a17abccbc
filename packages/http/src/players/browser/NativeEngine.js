/**
 * HLS by the browser itself, where scripts cannot feed a video: on older iPhones.
 */

/** @import { Engine, Options } from "./Engine.js" */

/**
 * @param {Options} options
 * @returns {Promise<Engine>}
 */
export const start = async ({ onExtent, onTrouble, source, video }) => {
  const tell = () => {
    const { duration, seekable } = video
    const isWhole = Number.isFinite(duration)
    onExtent(isWhole ? duration : seekable.length === 0 ? 0 : seekable.end(seekable.length - 1), isWhole)
  }
  const fail = () => onTrouble(video.error?.code === MediaError.MEDIA_ERR_NETWORK ? "network" : "media")
  const listeners = /** @type {const} */ ([
    ["loadedmetadata", tell],
    ["durationchange", tell],
    ["progress", tell],
    ["error", fail]
  ])
  for (const [name, listener] of listeners) video.addEventListener(name, listener)
  video.src = source
  return {
    resume: () => false,
    begin: (seconds) => {
      video.currentTime = seconds
    },
    destroy: () => {
      for (const [name, listener] of listeners) video.removeEventListener(name, listener)
      video.removeAttribute("src")
      video.load()
    }
  }
}
