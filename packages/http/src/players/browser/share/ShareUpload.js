/**
 * The form of a share that takes uploads: the box for files, and the list with the state of each.
 */

import { mayRetry, sendFile } from "./SendFile.js"
import { make, say, show } from "../ShareElements.js"

/** What a person reads about a file that was not stored. By the code of the problem, or the limit that it names. @type {Readonly<Record<string, string>>} */
const reasons = {
  content_too_large: "The file is too large for this share.",
  maxFiles: "The share takes no further files.",
  maxBytes: "The share has no room for a file of this size.",
  quota_exceeded: "The service has no room for this file.",
  storage_full: "The service has no room for this file.",
  unsupported_media_type: "The share does not accept files of this type.",
  unauthenticated: "The share has ended, or this page was open for too long. Open the link again.",
  forbidden: "The share has ended.",
  not_found: "The share has ended.",
  unreadable: "The browser cannot read the file. A folder cannot be uploaded: choose its files.",
  lost: "The connection was lost."
}

/** @param {number} status */
const isBusy = (status) => status >= 500 || [408, 425, 429].includes(status)

/** @param {Awaited<ReturnType<typeof sendFile>>} answer */
const explain = ({ code, isName, limit, status }) => {
  if (isName) return "The name of the file is not accepted. Rename the file."
  const cause = limit ?? code
  if (Object.hasOwn(reasons, cause)) return reasons[cause] ?? ""
  return isBusy(status) ? "The service cannot store the file right now." : "The service does not accept the file."
}

/** Files that are not stored or refused yet. */
let pending = 0

/** Makes the browser ask before it closes the page. @param {BeforeUnloadEvent} event */
const askBeforeLeaving = (event) => event.preventDefault()

/** @param {number} count Files that were added, or negative, that have ended. */
const addPending = (count) => {
  pending += count
  // A page with such a listener may not be kept for the Back button, so it exists only while files are sent.
  if (pending > 0) addEventListener("beforeunload", askBeforeLeaving)
  else removeEventListener("beforeunload", askBeforeLeaving)
}

/** @param {HTMLElement} row @param {File} file @returns {Promise<boolean>} */
const sendOne = async (row, file) => {
  const progress = make("progress", { max: 1, value: 0, ariaLabel: `Upload of ${file.name}` })
  const result = make("span")
  row.replaceChildren(make("bdi", {}, file.name), progress, result)
  const answer = await sendFile(file, {
    onProgress: (share) => {
      progress.value = share
      result.textContent = ""
    },
    onWait: () => {
      result.textContent = navigator.onLine ? "Trying again…" : "Waiting for the network…"
    }
  })
  progress.remove()
  addPending(-1)
  if (answer.code === "stored") {
    result.textContent = "Uploaded"
    return true
  }
  result.textContent = `Not uploaded: ${explain(answer)}`
  if (mayRetry(answer)) {
    const retry = make("button", { type: "button", ariaLabel: `Try again: ${file.name}` }, "Try again")
    retry.addEventListener("click", () => {
      // The button goes away with the focus.
      row.focus()
      void send([[row, file]])
    })
    row.append(retry)
  }
  return false
}

/** Uploads one file after the other. @param {ReadonlyArray<[row: HTMLElement, file: File]>} uploads */
const send = async (uploads) => {
  addPending(uploads.length)
  say("")
  const stored = await uploads.reduce(
    async (before, [row, file]) => (await before) + ((await sendOne(row, file)) ? 1 : 0),
    Promise.resolve(0)
  )
  say(`${stored} of ${uploads.length} files uploaded.`)
}

/** @param {string} name The name of the share. */
export const showUpload = (name) => {
  const input = make("input", { type: "file", id: "choice", multiple: true })
  const label = make("label", { htmlFor: "choice" }, "Files to upload")
  const list = make("ul", { className: "files", ariaLabel: "Uploads" })
  /** @param {FileList | undefined | null} files */
  const add = (files) => {
    /** @type {Array<[HTMLElement, File]>} */
    const uploads = [...(files ?? [])].map((file) => [
      make("li", { className: "row", tabIndex: -1 }, make("bdi", {}, file.name)),
      file
    ])
    if (uploads.length === 0) return
    list.append(...uploads.map(([row]) => row))
    void send(uploads)
  }
  input.addEventListener("change", () => {
    add(input.files)
    input.value = ""
  })
  // A browser opens a file that is dropped beside the box, in place of the page.
  document.addEventListener("dragover", (event) => event.preventDefault())
  document.addEventListener("drop", (event) => {
    event.preventDefault()
    add(event.dataTransfer?.files)
  })
  const box = make("div", { className: "drop" }, label, input)
  show(make("h1", {}, name), make("p", {}, "Other people with this link do not see what you upload."), box, list)
}
