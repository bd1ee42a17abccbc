/**
 * The sign that the video is loading. It is in the page from the beginning, so that it also appears while the script loads. Its style
 * delays it, so that a short wait shows nothing.
 */
import * as View from "../View.js"

const { spinner, video } = View

/** Returns whether the video has no picture yet, or cannot continue to play. */
export const lacksData = () =>
  !video.ended &&
  video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA &&
  (!video.paused || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA)

const update = () => {
  spinner.hidden = !lacksData()
}

export const prepare = () => {
  for (const event of [
    "waiting",
    "seeking",
    "seeked",
    "loadeddata",
    "canplay",
    "playing",
    "pause",
    "ended",
    "emptied"
  ]) {
    video.addEventListener(event, update)
  }
  // The browser's own player loads the rest when the viewer starts it.
  video.addEventListener("suspend", () => {
    spinner.hidden ||= video.paused && video.readyState >= HTMLMediaElement.HAVE_METADATA
  })
}
