/**
 * Describes what plays to the system, which shows it on the lock screen and passes on the keys of keyboards and headsets:
 * https://w3c.github.io/mediasession/.
 *
 * Each page has a session, and the system shows one of them. A player has its session from when it plays with sound until it has ended, or
 * until another player begins. While it is paused it keeps the session, with which the viewer continues.
 */
import * as Timeline from "../controls/Timeline.js"
import * as Cover from "../Cover.js"
import * as Playback from "../Playback.js"
import * as View from "../View.js"

const { video } = View

/** Seconds that the system's buttons skip where the system does not say how many. */
const skip = 10

/** The event by which a player that begins takes the session from the other players of the page. */
const taken = "holdfast-player-taken"

/** @type {ReadonlyArray<[MediaSessionAction, MediaSessionActionHandler]>} */
const actions = [
  ["play", () => void Playback.start()],
  ["pause", () => video.pause()],
  ["seekbackward", ({ seekOffset }) => Timeline.moveBy(-(seekOffset ?? skip))],
  ["seekforward", ({ seekOffset }) => Timeline.moveBy(seekOffset ?? skip)],
  [
    "seekto",
    ({ fastSeek, seekTime }) => {
      if (seekTime === undefined) return
      // A system that sends many positions, while the viewer drags, asks for the fast ones. Chromium lacks `fastSeek`.
      if (fastSeek === true && "fastSeek" in video) video.fastSeek(Math.min(Math.max(seekTime, 0), Timeline.end()))
      else Timeline.moveTo(seekTime)
    }
  ]
]

/** @param {MediaSession} session @param {boolean} isOwn */
const setHandlers = (session, isOwn) => {
  for (const [action, handler] of actions) {
    try {
      session.setActionHandler(action, isOwn ? handler : null)
    } catch {
      // This browser does not know the action.
    }
  }
}

/** @param {MediaSession} session */
const showPosition = (session) => {
  const duration = Timeline.end()
  // Anything else throws: https://w3c.github.io/mediasession/#dom-mediasession-setpositionstate.
  if (!(duration > 0) || video.playbackRate === 0) return session.setPositionState?.()
  const position = Math.min(Math.max(video.currentTime, 0), duration)
  session.setPositionState?.({ duration, playbackRate: video.playbackRate, position })
}

const describe = () => {
  const src = Cover.posterAddress()
  return new MediaMetadata({
    title: document.title,
    artwork: src === undefined ? [] : [{ src, type: "image/jpeg" }]
  })
}

/**
 * Calls a function with the window of each other frame of the page that has the origin of the players. Of windows of other origins, only
 * the frames in them are accessible.
 *
 * @param {Window} container
 * @param {(player: Window) => void} use
 */
const forEachPlayer = (container, use) => {
  for (let index = 0; index < container.length; index++) {
    const frame = container[index]
    if (frame === undefined) continue
    forEachPlayer(frame, use)
    try {
      if (frame !== window) use(frame)
    } catch {
      // Of another origin.
    }
  }
}

/** Does nothing in browsers without the API. */
export const prepare = () => {
  const session = navigator.mediaSession
  if (session === undefined || !("MediaMetadata" in globalThis)) return
  let isOwn = false

  const release = () => {
    if (!isOwn) return
    isOwn = false
    setHandlers(session, false)
    session.metadata = null
    session.playbackState = "none"
    session.setPositionState?.()
  }

  /** A muted video has no session: one that plays by itself would take that of the sound that the viewer hears. */
  const take = () => {
    if (isOwn || video.paused || video.muted || video.volume === 0) return
    isOwn = true
    forEachPlayer(top ?? window, (player) => player.dispatchEvent(new Event(taken)))
    setHandlers(session, true)
    session.metadata = describe()
  }

  const update = () => {
    if (!isOwn) return
    session.playbackState = video.paused ? "paused" : "playing"
    showPosition(session)
  }

  /** Also begins the session of a video whose sound the viewer turns on. */
  const begin = () => {
    take()
    update()
  }

  for (const event of ["play", "volumechange"]) video.addEventListener(event, begin)
  for (const event of ["playing", "pause", "seeked", "ratechange", "durationchange"])
    video.addEventListener(event, update)
  for (const event of ["ended", "emptied"]) video.addEventListener(event, release)
  addEventListener(taken, release)
}
