/**
 * What the page says, and the buttons that it shows beside the video.
 */

/** @import { Refused } from "./Conversion.js" */

/**
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} type
 * @returns {E}
 */
const element = (id, type) => {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new TypeError(`This page has no ${id}.`)
}

export const video = element("video", HTMLVideoElement)
export const playButton = element("play", HTMLButtonElement)
export const soundButton = element("sound", HTMLButtonElement)

const notice = element("notice", HTMLElement)
const status = element("status", HTMLElement)
const percent = element("percent", HTMLElement)
const bar = element("progress", HTMLProgressElement)
const alert = element("alert", HTMLElement)
const again = element("again", HTMLButtonElement)

/** Shows the still until the video plays. */
export const showPoster = () => {
  const { poster } = video.dataset
  if (poster !== undefined) video.poster = poster
}

/**
 * Texts stay as they are when nothing changed: each change of them is read out.
 *
 * @param {HTMLElement} where
 * @param {string} text
 */
const write = (where, text) => {
  if (where.textContent !== text) where.textContent = text
}

/**
 * @typedef {object} Words
 * @property {string} [status] Read out when there is time.
 * @property {number} [progress] From 0 to 1; shown, and not read out each time.
 * @property {string} [alert] Read out at once.
 * @property {boolean} [canRetry]
 */

/** @param {Words} words */
const show = (words) => {
  write(status, words.status ?? "")
  write(alert, words.alert ?? "")
  write(percent, words.progress === undefined ? "" : `, ${Math.floor(words.progress * 100)} %`)
  bar.hidden = words.progress === undefined
  bar.value = words.progress ?? 0
  again.hidden = words.canRetry !== true
  const isSilent = words.status === undefined && words.alert === undefined
  // Pictures that are there stay visible; what is covered cannot be operated.
  const covers = !isSilent && (words.alert !== undefined || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA)
  notice.classList.toggle("unseen", isSilent)
  notice.classList.toggle("over", !covers)
  video.inert = covers
  playButton.inert = covers
}

export const clear = () => show({})

/** @param {{ readonly state: "queued" | "running", readonly progress: number }} conversion */
export const converting = ({ progress, state }) =>
  show(state === "queued" ? { status: "Waiting for the conversion to begin" } : { status: "Converting", progress })

export const offline = () => show({ status: "No connection to the server. Trying again…" })

/**
 * @param {Refused} refused
 * @returns {string}
 */
const refusal = (refused) => {
  switch (refused.state) {
    case "failed":
      return `The conversion failed. ${refused.reason}`.trim()
    case "missing":
      return "This video is not there, or not there any more."
    case "forbidden":
      return "This link is not valid any more. Ask for a new one."
  }
}

/**
 * Says why nothing is played, until somebody asks to try again.
 *
 * @param {Refused} refused
 * @returns {Promise<void>}
 */
export const refuse = (refused) => stop(refusal(refused))

/**
 * Says that something went wrong, until somebody asks to try again.
 *
 * @param {string} text
 * @returns {Promise<void>}
 */
export const stop = (text) => {
  show({ alert: text, canRetry: true })
  return new Promise((resolve) => again.addEventListener("click", () => resolve(), { once: true }))
}
