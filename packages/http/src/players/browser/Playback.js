/**
 * Starts playback as far as the browser allows, and sets up the page's own controls.
 */
import * as View from "./View.js"

const { playButton, soundButton, video } = View

/** @param {unknown} error */
const isForbidden = (error) => error instanceof DOMException && error.name === "NotAllowedError"

/**
 * Plays without a user action. If the browser forbids that with sound, plays muted and shows a button that turns the sound
 * on.
 *
 * @returns {Promise<void>}
 */
export const start = async () => {
  try {
    await video.play()
  } catch (error) {
    if (!isForbidden(error) || video.muted) return
    video.muted = true
    soundButton.hidden = false
    // If even this is forbidden, the video waits until the viewer starts it.
    await video.play().catch(() => undefined)
  }
}

export const toggle = () => void (video.paused ? start() : video.pause())

/**
 * Sets the speed and the handlers of the sound button. Without controls, shows one button to play and pause.
 *
 * @param {{ readonly controls: boolean, readonly speed: number }} settings
 */
export const prepare = ({ controls, speed }) => {
  video.defaultPlaybackRate = speed
  video.playbackRate = speed
  soundButton.addEventListener("click", () => {
    video.muted = false
  })
  video.addEventListener("volumechange", () => {
    if (!video.muted) soundButton.hidden = true
  })
  if (controls) return
  const updateButton = () => {
    playButton.textContent = video.paused ? "Play" : "Pause"
    playButton.classList.toggle("playing", !video.paused)
  }
  for (const event of ["play", "pause", "ended"]) video.addEventListener(event, updateButton)
  for (const event of ["loadeddata", "emptied"]) {
    video.addEventListener(event, () => {
      playButton.hidden = video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA
    })
  }
  playButton.addEventListener("click", toggle)
  video.addEventListener("click", toggle)
}
