/**
 * A session plays the stream with one engine until the engine fails for good, and shows why playback waits.
 */
// oxlint-disable no-await-in-loop -- queries follow each other
import * as Backoff from "./Backoff.js"
import * as ConversionState from "./ConversionState.js"
import * as Menus from "./controls/Menus.js"
import { lacksData } from "./controls/Spinner.js"
import * as Playback from "./Playback.js"
import * as View from "./View.js"

/** @import { Engine, Options } from "./Engine.js" */
/** @import { Settings } from "./Settings.js" */

/**
 * The state of the video at the end of a session.
 *
 * @typedef {object} End
 * @property {number} position Seconds.
 * @property {boolean} isPlaying
 * @property {boolean} isBroken Whether the session ended for another reason than the network or the server.
 */

const { video } = View

/** Milliseconds without playback before the page shows why. */
const stallDelay = 1000

/**
 * @param {object} input
 * @param {Settings} input.settings
 * @param {(options: Options) => Promise<Engine>} input.start
 * @param {boolean} input.isGrowing
 * @param {number} input.position Seconds. A position after the end of the stream counts as 0.
 * @param {number} input.minRest A position with fewer seconds than this to the end counts as 0, too.
 * @param {boolean} input.isPlaying Whether to play at once.
 * @returns {Promise<End>} When a new session has to be started.
 */
export const run = async ({ isGrowing, isPlaying, minRest, position, settings, start }) => {
  /** @type {(isBroken: boolean) => void} */
  let end = () => {}
  /** @type {Promise<boolean>} */
  const ended = new Promise((resolve) => {
    end = resolve
  })
  const listening = new AbortController()
  const state = {
    hasEnded: false,
    hasFailed: false,
    isChecking: false,
    /** Where to start, until the stream has reached that position. @type {number | undefined} */
    target: position > 0 ? position : undefined
  }

  /** @param {number} extent @param {boolean} isComplete */
  const onExtent = (extent, isComplete) => {
    if (state.target === undefined || (extent <= state.target && !isComplete)) return
    const isLate = state.target >= (isComplete ? extent - minRest : extent)
    const startPosition = isLate ? 0 : state.target
    state.target = undefined
    if (isGrowing || startPosition === 0) engine.startAt(startPosition)
    if (isPlaying) void Playback.start()
  }

  /** Queries the server while the video has failed or lacks data, and shows the reason while playback waits. */
  const check = async () => {
    if (state.isChecking) return
    state.isChecking = true
    const wait = Backoff.make()
    let wasOffline = false
    while (!state.hasEnded && (state.hasFailed || lacksData() || state.target !== undefined)) {
      const conversion = await ConversionState.query(settings)
      if (state.hasEnded) return
      if (ConversionState.isRefused(conversion)) return end(false)
      const isOnline = conversion.state !== "offline"
      if (!isOnline) {
        state.hasFailed = true
        wasOffline = true
      } else if (state.hasFailed) {
        state.hasFailed = false
        // A failure while the server is reachable may be permanent.
        if (!wasOffline || !engine.resume()) return end(!wasOffline)
        wasOffline = false
      }
      const isWaiting = lacksData() || state.target !== undefined
      if (isWaiting && !isOnline) View.showOffline()
      else if (isWaiting && conversion.state === "running") View.showProgress(conversion)
      else if (isWaiting) View.announceLoading()
      else View.clear()
      await wait()
    }
    state.isChecking = false
    if (!state.hasEnded) View.clear()
  }

  /** @param {"network" | "media"} kind */
  const onFailure = (kind) => {
    if (kind === "media") return end(true)
    state.hasFailed = true
    void check()
  }

  const library = new URL(settings.engine, document.baseURI).href
  const engine = await start({
    video,
    source: new URL(settings.source, document.baseURI).href,
    library,
    position: isGrowing ? 0 : position,
    onAudio: Menus.showAudio,
    onCaptions: Menus.showCaptions,
    onQualities: Menus.showQualities,
    onExtent,
    onFailure
  })
  View.clear()
  const options = { signal: listening.signal }
  video.addEventListener("waiting", () => setTimeout(() => lacksData() && void check(), stallDelay), options)
  video.addEventListener("playing", View.clear, options)
  setTimeout(() => (lacksData() || state.target !== undefined) && void check(), stallDelay)
  if (isPlaying && state.target === undefined) void Playback.start()

  const isBroken = await ended
  state.hasEnded = true
  listening.abort()
  // Reads the video before its engine is destroyed, which resets it.
  const videoState = { position: video.currentTime, isPlaying: !video.paused, isBroken }
  engine.destroy()
  return videoState
}
