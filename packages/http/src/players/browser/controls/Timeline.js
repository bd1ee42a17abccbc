/**
 * Where playback is, how much is loaded, and the slider that moves it.
 */
import * as View from "../View.js"
import * as Clock from "./Clock.js"
import * as Storyboard from "./Storyboard.js"

const { video } = View

const { duration, elapsed, preview, previewTime, seek, timeline } = View.controls

/** Returns the end of what can be played, in seconds: of a stream that grows, of what there is so far. */
export const end = () => {
  if (Number.isFinite(video.duration)) return video.duration
  const { seekable } = video
  return seekable.length === 0 ? 0 : seekable.end(seekable.length - 1)
}

/** @param {number} seconds */
export const moveTo = (seconds) => {
  video.currentTime = Math.min(Math.max(seconds, 0), end())
}

/** @param {number} seconds Negative: backwards. */
export const moveBy = (seconds) => moveTo(video.currentTime + seconds)

/** Returns the end of the loaded range in which playback is. */
const loadedEnd = () => {
  const { buffered, currentTime } = video
  for (let index = 0; index < buffered.length; index++) {
    if (buffered.start(index) <= currentTime + 0.1 && buffered.end(index) > currentTime) return buffered.end(index)
  }
  return currentTime
}

/** @param {string} name @param {number} seconds */
const setShare = (name, seconds) => {
  const whole = end()
  timeline.style.setProperty(name, String(whole === 0 ? 0 : Math.min(seconds / whole, 1)))
}

/** @param {string | undefined} storyboard Address of the small pictures. */
export const prepare = (storyboard) => {
  let isDragging = false

  /** Shows the time, and what the video shows then, above the slider. @param {number} seconds */
  const showPreview = (seconds) => {
    const whole = end()
    previewTime.textContent = Clock.format(seconds)
    timeline.style.setProperty("--pointer", String(whole === 0 ? 0 : seconds / whole))
    preview.hidden = whole === 0
    if (!preview.hidden) void Storyboard.show(storyboard, seconds)
  }

  const hidePreview = () => {
    preview.hidden = true
  }

  const show = () => {
    const [position, whole] = [isDragging ? Number(seek.value) : video.currentTime, end()]
    seek.max = String(whole)
    seek.value = String(position)
    elapsed.textContent = Clock.format(position)
    duration.textContent = Clock.format(whole)
    seek.setAttribute("aria-valuetext", `${Clock.format(position)} of ${Clock.format(whole)}`)
    setShare("--played", position)
    setShare("--loaded", loadedEnd())
  }

  for (const event of ["timeupdate", "durationchange", "progress", "seeking", "seeked", "emptied"]) {
    video.addEventListener(event, show)
  }
  seek.addEventListener("input", () => {
    isDragging = true
    // A new position while the video still seeks the former one would delay every picture until the pointer rests.
    if (!video.seeking) moveTo(Number(seek.value))
    show()
    showPreview(Number(seek.value))
  })
  seek.addEventListener("change", () => {
    isDragging = false
    moveTo(Number(seek.value))
  })
  timeline.addEventListener("pointermove", ({ clientX }) => {
    const { left, width } = seek.getBoundingClientRect()
    showPreview(Math.min(Math.max((clientX - left) / width, 0), 1) * end())
  })
  timeline.addEventListener("pointerleave", hidePreview)
  // Not a click: the pointer has a preview already.
  seek.addEventListener("focus", () => {
    if (seek.matches(":focus-visible")) showPreview(video.currentTime)
  })
  seek.addEventListener("blur", hidePreview)
  seek.addEventListener("touchend", hidePreview)
}
