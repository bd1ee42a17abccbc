/**
 * The keys of the player. They work wherever the focus is, except in a control that uses the key itself.
 */
import * as Playback from "../Playback.js"
import * as View from "../View.js"
import * as Menus from "./Menus.js"
import * as Screen from "./Screen.js"
import * as Timeline from "./Timeline.js"
import * as Volume from "./Volume.js"

const { video } = View
const { controls, seek, volume } = View.controls

/** Seconds of an arrow key, of J and L, and of Page Up and Page Down. */
const [step, longStep, page] = [5, 10, 60]

/** A picture at 25 pictures a second. */
const frame = 1 / 25

/** @param {number} direction */
const moveFrame = (direction) => {
  if (video.paused) Timeline.moveBy(direction * frame)
}

/** @type {Readonly<Record<string, () => void>>} */
const actions = {
  " ": Playback.toggle,
  k: Playback.toggle,
  j: () => Timeline.moveBy(-longStep),
  l: () => Timeline.moveBy(longStep),
  arrowleft: () => Timeline.moveBy(-step),
  arrowright: () => Timeline.moveBy(step),
  pageup: () => Timeline.moveBy(page),
  pagedown: () => Timeline.moveBy(-page),
  home: () => Timeline.moveTo(0),
  end: () => Timeline.moveTo(Timeline.end()),
  arrowup: () => Volume.set((video.muted ? 0 : video.volume) + 0.05),
  arrowdown: () => Volume.set((video.muted ? 0 : video.volume) - 0.05),
  m: Volume.toggle,
  c: Menus.toggleCaptions,
  f: Screen.toggleFullscreen,
  i: Screen.togglePip,
  "<": () => Menus.changeSpeed(-1),
  ">": () => Menus.changeSpeed(1),
  ",": () => moveFrame(-1),
  ".": () => moveFrame(1)
}

/** Keys that act once, however long the viewer holds them. */
const switches = new Set([" ", "k", "m", "c", "f", "i"])

/** The slider of the position moves by seconds, not by steps of its length. @type {Readonly<Record<string, () => void>>} */
const seekActions = { arrowup: () => Timeline.moveBy(step), arrowdown: () => Timeline.moveBy(-step) }

/** @param {KeyboardEvent} event @returns {(() => void) | undefined} */
const find = ({ key, target }) => {
  const name = key.toLowerCase()
  if (target instanceof HTMLSelectElement) return undefined
  if (target instanceof HTMLButtonElement && key === " ") return undefined
  if (target === seek && seekActions[name] !== undefined) return seekActions[name]
  if (target === volume && /^(?:arrow|page|home|end)/.test(name)) return undefined
  if (/^[0-9]$/.test(key)) return () => Timeline.moveTo((Number(key) / 10) * Timeline.end())
  return Object.hasOwn(actions, name) ? actions[name] : undefined
}

export const prepare = () =>
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return
    if (event.key === "Escape") return void (Menus.close() && event.preventDefault())
    if (controls.hidden || controls.inert) return
    const action = find(event)
    if (action === undefined) return
    // The page must not scroll, and the slider must not move a second time.
    event.preventDefault()
    if (!event.repeat || !switches.has(event.key.toLowerCase())) action()
  })
