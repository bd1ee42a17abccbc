/**
 * Hides the controls while a video plays and the viewer does nothing, and interprets clicks and taps on the picture.
 */
import * as Playback from "../Playback.js"
import * as View from "../View.js"
import * as Screen from "./Screen.js"
import * as Timeline from "./Timeline.js"

const { stage, video } = View
const { bar, controls, panel } = View.controls

/** Milliseconds without an action after which the controls disappear. */
const idleDelay = 3000

/** Milliseconds in which two taps are one action. */
const doubleTap = 300

/** Seconds that a double tap on the left or right part of the picture skips. */
const skip = 10

const isIdle = () => stage.classList.contains("idle")

/** Controls that the viewer uses, or may use by keyboard, stay. Those of sound alone cover no picture. */
const areInUse = () =>
  video.paused ||
  View.isSound() ||
  !panel.hidden ||
  bar.matches(":hover") ||
  controls.querySelector(":focus-visible") !== null

/** @param {MouseEvent} event @returns {-1 | 0 | 1} The part of the picture: left, middle or right. */
const partOf = ({ clientX }) => {
  const { left, width } = video.getBoundingClientRect()
  const share = (clientX - left) / width
  return share < 1 / 3 ? -1 : share > 2 / 3 ? 1 : 0
}

export const prepare = () => {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let lastTap = 0
  let pointer = "mouse"

  const rest = () => {
    if (areInUse()) wake()
    else stage.classList.add("idle")
  }
  const wake = () => {
    stage.classList.remove("idle")
    clearTimeout(timer)
    timer = setTimeout(rest, idleDelay)
  }

  /** @param {MouseEvent} event */
  const onTap = (event) => {
    const isDouble = event.timeStamp - lastTap < doubleTap
    const part = partOf(event)
    lastTap = event.timeStamp
    if (isDouble && part !== 0) {
      Timeline.moveBy(part * skip)
      wake()
    } else if (video.paused) {
      Playback.toggle()
    } else if (isIdle()) {
      wake()
    } else {
      stage.classList.add("idle")
    }
  }

  stage.addEventListener("pointermove", ({ pointerType }) => pointerType === "touch" || wake())
  stage.addEventListener("pointerleave", ({ pointerType }) => pointerType === "touch" || rest())
  for (const event of ["keydown", "focusin"]) document.addEventListener(event, wake)
  for (const event of ["play", "pause", "ended", "emptied"]) video.addEventListener(event, wake)
  controls.addEventListener("pointerdown", wake)
  video.addEventListener("pointerdown", ({ pointerType }) => {
    pointer = pointerType
  })
  // In older browsers, a click is a mere `MouseEvent`, which does not name its pointer.
  video.addEventListener("click", (event) => {
    if (pointer === "touch" && !View.isSound()) onTap(event)
    else Playback.toggle()
  })
  // The two clicks have stopped and started the video, or the reverse.
  video.addEventListener("dblclick", () => {
    if (matchMedia("(hover: hover)").matches) Screen.toggleFullscreen()
  })
}
