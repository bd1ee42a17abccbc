/**
 * The menu in which the viewer chooses a language. It is shown if the stream has several audio tracks.
 */
import * as View from "./View.js"

const { audioMenu, tracks, video } = View

for (const event of ["play", "pause", "ended"]) {
  video.addEventListener(event, () => tracks.classList.toggle("playing", !video.paused))
}

/**
 * @typedef {object} AudioTracks
 * @property {ReadonlyArray<{ readonly label: string, readonly language: string | undefined }>} all
 * @property {number} selected Index of the track that plays.
 * @property {(index: number) => void} select Plays another track.
 */

/** The choice of the viewer, which a new session keeps. @type {string | undefined} */
let chosen

/** The tracks of the present session. @type {AudioTracks | undefined} */
let current

audioMenu.addEventListener("change", () => {
  chosen = current?.all[audioMenu.selectedIndex]?.label
  current?.select(audioMenu.selectedIndex)
})

/** @param {AudioTracks} audio */
export const show = (audio) => {
  const { all, select, selected } = audio
  current = audio
  const options = all.map(({ label, language }) => {
    const option = document.createElement("option")
    option.textContent = label
    if (language !== undefined) option.lang = language
    return option
  })
  audioMenu.replaceChildren(...options)
  const kept = all.findIndex(({ label }) => label === chosen)
  audioMenu.selectedIndex = kept < 0 ? selected : kept
  if (kept >= 0 && kept !== selected) select(kept)
  tracks.hidden = all.length < 2
}
