/**
 * The player's own controls.
 */
import * as Playback from "../Playback.js"
import * as View from "../View.js"
import * as Activity from "./Activity.js"
import * as Menus from "./Menus.js"
import * as Screen from "./Screen.js"
import * as Shortcuts from "./Shortcuts.js"
import * as Timeline from "./Timeline.js"
import * as Volume from "./Volume.js"

const { video } = View
const { controls, start, toggle } = View.controls

const showState = () => {
  const state = video.ended ? "replay" : video.paused ? "play" : "pause"
  toggle.dataset["state"] = state
  View.setLabel(toggle, { replay: "Play again", play: "Play", pause: "Pause" }[state])
  // Until it has played, also where it begins later: the large sign says that a click plays.
  start.hidden = controls.hidden || !video.paused || video.played.length > 0
}

/** @param {{ readonly speed: number, readonly storyboard?: string }} settings */
export const prepare = (settings) => {
  Timeline.prepare(settings.storyboard)
  Volume.prepare()
  Screen.prepare()
  Menus.prepare(settings)
  Shortcuts.prepare()
  Activity.prepare()
  toggle.addEventListener("click", Playback.toggle)
  video.addEventListener("loadeddata", () => {
    controls.hidden = false
  })
  for (const event of ["play", "pause", "ended", "seeked", "loadeddata", "timeupdate"]) {
    video.addEventListener(event, showState)
  }
}
