/**
 * The menus in which the viewer chooses a language and captions. Each is shown if there is something to choose.
 */
import * as View from "./View.js"

const { audioMenu, captionMenu, tracks, video } = View

for (const event of ["play", "pause", "ended"]) {
  video.addEventListener(event, () => tracks.classList.toggle("playing", !video.paused))
}

/**
 * @typedef {object} Choices
 * @property {ReadonlyArray<{ readonly label: string, readonly language: string | undefined }>} all
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
    tracks.hidden = audioMenu.length < 2 && captionMenu.length < 2
  }
}

export const showAudio = make(audioMenu)

const showChoices = make(captionMenu)

/** Adds the choice of no captions. @param {Choices} captions */
export const showCaptions = ({ all, select, selected }) =>
  showChoices({
    all: [{ label: "Off", language: undefined }, ...all],
    selected: selected + 1,
    select: (index) => select(index - 1)
  })
