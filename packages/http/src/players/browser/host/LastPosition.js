/**
 * Where playback was when the viewer left the page, for when the viewer comes back by the browser's history or loads the page again. The
 * entry of the history has it: nothing is stored beside that, and a page that is opened anew begins where its address says.
 */
import * as View from "../View.js"

const { video } = View

/** Milliseconds between two changes of the entry while the video plays: Safari permits 100 in 30 seconds. */
const interval = 2000

/** Returns the position in seconds; undefined when the page is opened anew, and after the end. @returns {number | undefined} */
export const read = () => {
  const { position } = /** @type {{ position?: unknown }} */ (Object(history.state))
  return typeof position === "number" && Number.isFinite(position) && position > 0 ? position : undefined
}

/** @param {number | undefined} position */
const write = (position) => {
  try {
    history.replaceState(position === undefined ? null : { position }, "")
  } catch {
    // The browser permits no further change for the moment.
  }
}

/** Keeps the position from when the video has played, or the viewer has moved it. Must be called after `read`. */
export const prepare = () => {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const keep = () => {
    clearTimeout(timer)
    timer = undefined
    // After a failure, the video has no position until the next session.
    if (video.readyState >= HTMLMediaElement.HAVE_METADATA) write(video.ended ? undefined : video.currentTime)
  }
  // Not when the page is left alone: Chromium may lose what a frame changes then.
  video.addEventListener("timeupdate", () => {
    timer ??= setTimeout(keep, interval)
  })
  for (const event of ["pause", "ended"]) video.addEventListener(event, keep)
  document.addEventListener("visibilitychange", keep)
}
