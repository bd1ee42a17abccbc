/**
 * Plays until the engine can do no more, and keeps it going as long as it can.
 */
// oxlint-disable no-await-in-loop -- one question after the other
import * as Conversion from "./Conversion.js"
import * as Pause from "./Pause.js"
import * as Playing from "./Playing.js"
import * as Screen from "./Screen.js"

/** @import { Engine, Options } from "./Engine.js" */
/** @import { Settings } from "./Settings.js" */

/**
 * What is left of a session.
 *
 * @typedef {object} Left
 * @property {number} position Seconds; where it stood.
 * @property {boolean} played
 * @property {boolean} isBroken Whether it was not the network's, or the server's, doing.
 */

const { video } = Screen

/** Milliseconds that a video may stand still before anybody is told why. */
const patience = 1000

const lacksData = () =>
  !video.ended &&
  video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA &&
  (!video.paused || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA)

/**
 * @param {object} input
 * @param {Settings} input.settings
 * @param {(options: Options) => Promise<Engine>} input.start
 * @param {boolean} input.isGrowing
 * @param {number} input.position Seconds; one that is never reached is as good as 0.
 * @param {boolean} input.plays Whether to play at once.
 * @returns {Promise<Left>} When it has to be started anew.
 */
export const run = async ({ isGrowing, plays, position, settings, start }) => {
  /** @type {(isBroken: boolean) => void} */
  let end = () => {}
  /** @type {Promise<boolean>} */
  const over = new Promise((resolve) => {
    end = resolve
  })
  const listening = new AbortController()
  const now = {
    isOver: false,
    isInTrouble: false,
    isChecking: false,
    /** Where to begin, until that is reached. @type {number | undefined} */
    wanted: position > 0 ? position : undefined
  }

  /** @param {number} extent @param {boolean} isWhole */
  const onExtent = (extent, isWhole) => {
    if (now.wanted === undefined || (extent <= now.wanted && !isWhole)) return
    const target = extent > now.wanted ? now.wanted : 0
    now.wanted = undefined
    if (isGrowing || target === 0) engine.begin(target)
    if (plays) void Playing.start()
  }

  /** Finds out what is missing while something is, and tells it when the video stands still. */
  const check = async () => {
    if (now.isChecking) return
    now.isChecking = true
    const pause = Pause.make()
    let wasOffline = false
    while (!now.isOver && (now.isInTrouble || lacksData() || now.wanted !== undefined)) {
      const conversion = await Conversion.ask(settings)
      if (now.isOver) return
      if (Conversion.isRefused(conversion)) return end(false)
      const isOnline = conversion.state !== "offline"
      if (!isOnline) {
        now.isInTrouble = true
        wasOffline = true
      } else if (now.isInTrouble) {
        now.isInTrouble = false
        // What fails although the server is there may be gone for good.
        if (!wasOffline || !engine.resume()) return end(!wasOffline)
        wasOffline = false
      }
      const isWaiting = lacksData() || now.wanted !== undefined
      if (isWaiting && !isOnline) Screen.offline()
      else if (isWaiting && conversion.state === "running") Screen.converting(conversion)
      else Screen.clear()
      await pause()
    }
    now.isChecking = false
    if (!now.isOver) Screen.clear()
  }

  /** @param {"network" | "media"} kind */
  const onTrouble = (kind) => {
    if (kind === "media") return end(true)
    now.isInTrouble = true
    void check()
  }

  const library = new URL(settings.engine, document.baseURI).href
  const engine = await start({
    video,
    source: new URL(settings.source, document.baseURI).href,
    library,
    position: isGrowing ? 0 : position,
    onExtent,
    onTrouble
  })
  Screen.clear()
  const options = { signal: listening.signal }
  video.addEventListener("waiting", () => setTimeout(() => lacksData() && void check(), patience), options)
  video.addEventListener("playing", Screen.clear, options)
  setTimeout(() => (lacksData() || now.wanted !== undefined) && void check(), patience)
  if (plays && now.wanted === undefined) void Playing.start()

  const isBroken = await over
  now.isOver = true
  listening.abort()
  // Without its engine the video forgets both.
  const left = { position: video.currentTime, played: !video.paused, isBroken }
  engine.destroy()
  return left
}
