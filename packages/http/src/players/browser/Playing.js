/**
 * Starts playing, as far as the browser allows.
 */
import * as Screen from "./Screen.js"

const { playButton, soundButton, video } = Screen

/** @param {unknown} error */
const isForbidden = (error) => error instanceof DOMException && error.name === "NotAllowedError"

/**
 * Plays without anybody having asked for it; without sound, where browsers allow no more, and with a button that turns it on.
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
    // Not even without sound: then it waits for somebody to press play.
    await video.play().catch(() => undefined)
  }
}

const toggle = () => void (video.paused ? start() : video.pause())

/**
 * The speed, the button for the sound, and, where the browser shows no controls, one button to play and pause.
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
  const name = () => {
    playButton.textContent = video.paused ? "Play" : "Pause"
    playButton.classList.toggle("playing", !video.paused)
  }
  for (const event of ["play", "pause", "ended"]) video.addEventListener(event, name)
  for (const event of ["loadeddata", "emptied"]) {
    video.addEventListener(event, () => {
      playButton.hidden = video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA
    })
  }
  playButton.addEventListener("click", toggle)
  video.addEventListener("click", toggle)
}
