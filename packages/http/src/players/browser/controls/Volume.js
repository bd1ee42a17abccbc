/**
 * The button and the slider of the sound.
 */
import * as View from "../View.js"

const { video } = View
const { mute, volume } = View.controls

export const toggle = () => {
  video.muted = !video.muted
  // A viewer who turns the sound on expects to hear something.
  if (!video.muted && video.volume === 0) video.volume = 1
}

/** @param {number} value From 0 to 1. */
export const set = (value) => {
  video.volume = Math.min(Math.max(value, 0), 1)
  video.muted = video.volume === 0
}

const show = () => {
  const heard = video.muted ? 0 : video.volume
  mute.dataset["state"] = heard === 0 ? "muted" : "sound"
  View.setLabel(mute, heard === 0 ? "Unmute" : "Mute")
  volume.value = String(heard)
  volume.style.setProperty("--played", String(heard))
  volume.setAttribute("aria-valuetext", `${Math.round(heard * 100)} %`)
}

export const prepare = () => {
  mute.addEventListener("click", toggle)
  volume.addEventListener("input", () => set(Number(volume.value)))
  video.addEventListener("volumechange", show)
  show()
}
