/**
 * The settings that the viewer chooses: language, captions, quality and speed. Each is shown if there is something to choose.
 */
import * as View from "../View.js"

const { video } = View
const { audioMenu, captionMenu, panel, qualityMenu, settingsButton, speedMenu, subtitles } = View.controls

/**
 * @typedef {object} Choices
 * @property {ReadonlyArray<{ readonly label: string, readonly language?: string | undefined }>} all
 * @property {number} selected Index of the present choice.
 * @property {(index: number) => void} select
 */

/** @param {HTMLSelectElement} menu @returns {(choices: Choices) => void} */
const make = (menu) => {
  /** The choice of the viewer, which a new session keeps. @type {string | undefined} */
  let chosen
  /** Those of the present session. @type {Choices | undefined} */
  let current
  menu.addEventListener("change", () => {
    chosen = current?.all[menu.selectedIndex]?.label
    current?.select(menu.selectedIndex)
  })
  return (choices) => {
    const { all, select, selected } = choices
    current = choices
    const options = all.map(({ label, language }) => {
      const option = document.createElement("option")
      option.textContent = label
      if (language !== undefined) option.lang = language
      return option
    })
    menu.replaceChildren(...options)
    const kept = all.findIndex(({ label }) => label === chosen)
    menu.selectedIndex = kept < 0 ? selected : kept
    if (kept >= 0 && kept !== selected) select(kept)
    if (menu.parentElement !== null) menu.parentElement.hidden = all.length < 2
  }
}

export const showAudio = make(audioMenu)

const showCaptionChoices = make(captionMenu)

const showQualityChoices = make(qualityMenu)

const showPressed = () => {
  subtitles.hidden = captionMenu.length < 2
  subtitles.setAttribute("aria-pressed", String(captionMenu.selectedIndex > 0))
}

/** Adds the choice of no captions. @param {Choices} captions */
export const showCaptions = ({ all, select, selected }) => {
  showCaptionChoices({
    all: [{ label: "Off" }, ...all],
    selected: selected + 1,
    select: (index) => select(index - 1)
  })
  showPressed()
}

/** Adds the choice of the engine, which follows the line. @param {Choices} qualities `selected` and index -1: automatic. */
export const showQualities = ({ all, select, selected }) =>
  showQualityChoices({
    // One quality leaves nothing to choose.
    all: all.length < 2 ? [] : [{ label: "Auto" }, ...all],
    selected: selected + 1,
    select: (index) => select(index - 1)
  })

/** @param {HTMLSelectElement} menu @param {number} index */
const choose = (menu, index) => {
  menu.selectedIndex = index
  menu.dispatchEvent(new Event("change"))
}

/** Turns captions on and off. On: those that were chosen last, or the first. */
const makeCaptionToggle = () => {
  let last = 1
  captionMenu.addEventListener("change", () => {
    if (captionMenu.selectedIndex > 0) last = captionMenu.selectedIndex
    showPressed()
  })
  return () => {
    if (captionMenu.length > 1)
      choose(captionMenu, captionMenu.selectedIndex > 0 ? 0 : Math.min(last, captionMenu.length - 1))
  }
}

export const toggleCaptions = makeCaptionToggle()

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 2]

/** @param {number} speed The one that the page was opened with, which need not be one of the usual ones. */
const prepareSpeed = (speed) => {
  const all = [...new Set([...speeds, speed])].toSorted((a, b) => a - b)
  make(speedMenu)({
    all: all.map((value) => ({ label: value === 1 ? "Normal" : `${value}×` })),
    selected: all.indexOf(speed),
    select: (index) => {
      video.playbackRate = all[index] ?? 1
    }
  })
  video.addEventListener("ratechange", () => {
    const index = all.indexOf(video.playbackRate)
    if (index >= 0) speedMenu.selectedIndex = index
  })
}

/** @param {1 | -1} direction To the next of the speeds, or the former one. */
export const changeSpeed = (direction) => {
  const index = speedMenu.selectedIndex + direction
  if (index >= 0 && index < speedMenu.length) choose(speedMenu, index)
}

/** @param {boolean} isOpen */
const setOpen = (isOpen) => {
  panel.hidden = !isOpen
  settingsButton.setAttribute("aria-expanded", String(isOpen))
}

/** Closes the settings. @returns {boolean} Whether they were open. */
export const close = () => {
  const wasOpen = !panel.hidden
  const hadFocus = panel.contains(document.activeElement)
  setOpen(false)
  if (hadFocus) settingsButton.focus()
  return wasOpen
}

/** @param {{ readonly speed: number }} settings */
export const prepare = ({ speed }) => {
  prepareSpeed(speed)
  subtitles.addEventListener("click", toggleCaptions)
  settingsButton.addEventListener("click", () => {
    setOpen(panel.hidden !== false)
    const first = panel.querySelector("label:not([hidden]) select")
    if (!panel.hidden && first instanceof HTMLElement) first.focus()
  })
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !panel.contains(target) && !settingsButton.contains(target)) setOpen(false)
  })
}
