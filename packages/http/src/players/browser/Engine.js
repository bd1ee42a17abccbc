/**
 * An engine plays a stream in the video element: a library, or the browser's own player.
 */
import * as DashEngine from "./DashEngine.js"
import * as HlsEngine from "./HlsEngine.js"
import * as NativeEngine from "./NativeEngine.js"

/** @import { Choices } from "./controls/Menus.js" */

/**
 * @typedef {object} Options
 * @property {HTMLVideoElement} video
 * @property {string} source Address of the playlist or manifest.
 * @property {string} library Absolute address of the library's module.
 * @property {number} position Where to start, in seconds.
 * @property {(kind: "network" | "media") => void} onFailure Called when the engine cannot continue by itself.
 * @property {(audio: Choices) => void} onAudio Called with the audio tracks. The browser's own player has menus of its own.
 * @property {(captions: Choices) => void} onCaptions Called with the captions; index -1 is none.
 * @property {(qualities: Choices) => void} onQualities Called with the renditions; index -1 lets the engine choose.
 * @property {(seconds: number, isComplete: boolean) => void} onExtent Called with the duration so far, and whether it is final.
 */

/**
 * @typedef {object} Engine
 * @property {() => boolean} resume Continues after a network failure; false if a new engine has to be started.
 * @property {(position: number) => void} startAt Moves the start to another position.
 * @property {() => void} destroy
 */

const hasMediaSource = "MediaSource" in globalThis || "ManagedMediaSource" in globalThis

/**
 * @param {"hls" | "dash"} format
 * @returns {((options: Options) => Promise<Engine>) | undefined} Undefined if the browser cannot play the format.
 */
export const find = (format) => {
  if (hasMediaSource) return format === "hls" ? HlsEngine.start : DashEngine.start
  const canPlay = document.createElement("video").canPlayType("application/vnd.apple.mpegurl") !== ""
  return format === "hls" && canPlay ? NativeEngine.start : undefined
}
