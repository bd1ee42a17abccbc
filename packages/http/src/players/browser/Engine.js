/**
 * What plays a stream in the video element: a library, or the browser alone.
 */
import * as DashEngine from "./DashEngine.js"
import * as HlsEngine from "./HlsEngine.js"
import * as NativeEngine from "./NativeEngine.js"

/**
 * @typedef {object} Options
 * @property {HTMLVideoElement} video
 * @property {string} source Of the playlist or manifest.
 * @property {string} library Of the library's module, absolute.
 * @property {number} position Seconds; where to begin.
 * @property {(kind: "network" | "media") => void} onTrouble It cannot go on by itself.
 * @property {(seconds: number, isWhole: boolean) => void} onExtent How much there is, and whether more is to come.
 */

/**
 * @typedef {object} Engine
 * @property {() => boolean} resume Goes on after trouble with the network; false when it has to be started anew.
 * @property {(position: number) => void} begin Begins from somewhere else than it was told at first.
 * @property {() => void} destroy
 */

const hasMediaSource = "MediaSource" in globalThis || "ManagedMediaSource" in globalThis

/**
 * @param {"hls" | "dash"} format
 * @returns {((options: Options) => Promise<Engine>) | undefined} Undefined where the browser cannot play the format.
 */
export const find = (format) => {
  if (hasMediaSource) return format === "hls" ? HlsEngine.start : DashEngine.start
  const canPlay = document.createElement("video").canPlayType("application/vnd.apple.mpegurl") !== ""
  return format === "hls" && canPlay ? NativeEngine.start : undefined
}
