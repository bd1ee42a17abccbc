/**
 * The elements of the page, and the messages in it.
 */

/** @import { Refused } from "./ConversionState.js" */

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
export const stage = element("stage", HTMLElement)
export const spinner = element("spinner", HTMLElement)
export const cover = element("cover", HTMLElement)

/** Returns whether there is sound alone: the server knows it, or the video's metadata says so. */
export const isSound = () => stage.classList.contains("audio")

export const controls = {
  controls: element("controls", HTMLElement),
  start: element("start", HTMLElement),
  panel: element("panel", HTMLElement),
  audioMenu: element("audio", HTMLSelectElement),
  captionMenu: element("captions", HTMLSelectElement),
  qualityMenu: element("quality", HTMLSelectElement),
  speedMenu: element("speed", HTMLSelectElement),
  bar: element("bar", HTMLElement),
  timeline: element("timeline", HTMLElement),
  seek: element("seek", HTMLInputElement),
  preview: element("preview", HTMLElement),
  thumbnail: element("thumbnail", HTMLElement),
  previewTime: element("preview-time", HTMLElement),
  toggle: element("toggle", HTMLButtonElement),
  mute: element("mute", HTMLButtonElement),
  volume: element("volume", HTMLInputElement),
  elapsed: element("elapsed", HTMLElement),
  duration: element("duration", HTMLElement),
  subtitles: element("subtitles", HTMLButtonElement),
  settingsButton: element("settings-button", HTMLButtonElement),
  pip: element("pip", HTMLButtonElement),
  fullscreen: element("fullscreen", HTMLButtonElement)
}

/** Names a button that has no text, for screen readers and for the pointer. @param {HTMLButtonElement} button @param {string} label */
export const setLabel = (button, label) => {
  button.setAttribute("aria-label", label)
  button.title = label
}

const notice = element("notice", HTMLElement)
const status = element("status", HTMLElement)
const percent = element("percent", HTMLElement)
const bar = element("progress", HTMLProgressElement)
const alert = element("alert", HTMLElement)
const retryButton = element("again", HTMLButtonElement)

/**
 * Changes a text only if it differs: screen readers announce each change.
 *
 * @param {HTMLElement} where
 * @param {string} text
 */
const write = (where, text) => {
  if (where.textContent !== text) where.textContent = text
}

/**
 * @typedef {object} Message
 * @property {string} [status] Announced when the screen reader is idle.
 * @property {number} [progress] From 0 to 1. Shown, not announced.
 * @property {boolean} [isUnseen] Whether the status is announced only.
 * @property {string} [alert] Announced at once.
 * @property {boolean} [canRetry]
 */

/** @param {Message} message */
const show = (message) => {
  write(status, message.status ?? "")
  write(alert, message.alert ?? "")
  write(percent, message.progress === undefined ? "" : `, ${Math.floor(message.progress * 100)} %`)
  bar.hidden = message.progress === undefined
  bar.value = message.progress ?? 0
  retryButton.hidden = message.canRetry !== true
  const isUnseen = message.isUnseen === true || (message.status === undefined && message.alert === undefined)
  // A frame of the video stays visible. A covered video cannot be operated.
  const covers = !isUnseen && (message.alert !== undefined || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA)
  notice.classList.toggle("unseen", isUnseen)
  notice.classList.toggle("over", !covers)
  playButton.inert = covers
  controls.controls.inert = covers
  stage.classList.toggle("covered", covers)
}

export const clear = () => show({})

/** @param {{ readonly state: "queued" | "running", readonly progress: number }} conversion */
export const showProgress = ({ progress, state }) =>
  show(state === "queued" ? { status: "Waiting for the conversion to begin" } : { status: "Converting", progress })

/** Announces what others see by the sign that turns. */
export const announceLoading = () => show({ status: "Loading", isUnseen: true })

export const showOffline = () => show({ status: "No connection to the server. Trying again…" })

/**
 * @param {Refused} refused
 * @returns {string}
 */
const refusalText = (refused) => {
  switch (refused.state) {
    case "failed":
      return `The conversion failed. ${refused.reason}`.trim()
    case "missing":
      return "This video does not exist, or was removed."
    case "forbidden":
      return "This link is not valid any more. Ask for a new one."
  }
}

/**
 * Shows why the stream cannot be played, until the viewer clicks "Try again".
 *
 * @param {Refused} refused
 * @param {number} time
 * @returns {Promise<void>}
 */
export const showRefusal = (refused, time) => showError(refusalText(refused), refused.state, time)

/**
 * Shows an error until the viewer clicks "Try again". The event `refused` of the stage has the reason and the time.
 *
 * @param {string} text
 * @param {Refused["state"] | "unplayable" | "unsupported"} reason
 * @param {number} time Seconds from the beginning at which playback ended; the video itself has been reset.
 * @returns {Promise<void>}
 */
export const showError = (text, reason, time) => {
  show({ alert: text, canRetry: true })
  stage.dispatchEvent(new CustomEvent("refused", { detail: { reason, time } }))
  return new Promise((resolve) => retryButton.addEventListener("click", () => resolve(), { once: true }))
}
