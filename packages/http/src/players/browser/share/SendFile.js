/**
 * Sends one file to the folder of a share by an upload in parts (tus 1.0.0): each attempt continues where the service has the bytes, and an
 * upload is completed once, however many answers are lost. Retries what may succeed later: a lost connection, a busy service.
 */

import { base } from "../ShareElements.js"

/**
 * How an upload has ended: `"stored"`, the `code` of a problem, `"lost"` for a connection that ended, or `"unreadable"`. `isStale` if the
 * link or the upload of the attempt is over, so that another attempt may succeed at once.
 *
 * @typedef {{ code: string, status: number, retryAfter: number, limit?: string, isName?: boolean, isStale?: boolean }} Answer
 * @typedef {{ status: number, text: string, header: (name: string) => string | null }} Reply
 * @typedef {{ id: string, offset: number, failures: number, isUnanswered?: boolean }} Upload
 * @typedef {{ onProgress: (share: number) => void, onWait: () => void }} Listeners
 */

/** Attempts without a stored byte. */
const maxAttempts = 5

/** Seconds. A person decides about a longer wait. */
const longestWait = 60

/** Bytes of one request. */
const chunkBytes = 16 * 1024 * 1024

/** Seconds after which an upload is over that was created and got no bytes, after two minutes and some attempts. */
const untilRoom = 45

/** An upload has at most 10,000 parts. Each request adds one, and so does each cut. */
const mostRequests = 5000

/** @type {Answer} */
const stored = { code: "stored", status: 201, retryAfter: 0 }
/** @type {Answer} */
const lost = { code: "lost", status: 0, retryAfter: 0 }
const stale = { ...lost, isStale: true }

/** The codes after which the same file may be stored later. */
const retryable = new Set(["lost", "share_exhausted", "quota_exceeded", "storage_full"])

/** The uploads of this page that are not completed. @type {Map<File, Upload>} */
const unfinished = new Map()

/** Where the uploads of the share are, with the key of an upload link, which is valid for an hour. @type {URL | undefined} */
let uploads

/** @param {URL} uploads @param {Upload} upload */
const addressOf = (uploads, { id }) => {
  const address = new URL(uploads)
  address.pathname += `/${id}`
  return address
}

/** Reads a problem; a proxy may answer with something else. @param {string} text */
const parse = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** @param {Reply} reply @returns {Answer} */
const toAnswer = ({ header, status, text }) => {
  if (status === 0) return lost
  const { code, errors, limit } = parse(text)
  return {
    code: String(code),
    status,
    retryAfter: Number(header("retry-after")) || 0,
    limit,
    isName: Array.isArray(errors) && errors.some(({ pointer }) => pointer === "/name")
  }
}

/** @param {Answer} answer */
const isTemporary = ({ code, status }) =>
  [0, 408, 425, 429].includes(status) ? code !== "unreadable" : status >= 500 && code !== "storage_full"

/** Whether the same file may be stored later. @param {Answer} answer */
export const mayRetry = (answer) => retryable.has(answer.code) || isTemporary(answer)

/** Returns whether the browser can still read the file: it cannot read a folder, or a file that has changed. @param {File} file */
const isReadable = (file) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false
    )

const resumable = { "tus-resumable": "1.0.0" }

/**
 * Sends a request. The status of the reply is 0 if the connection ends.
 *
 * @param {string} method
 * @param {URL | string} url
 * @param {Readonly<Record<string, string>>} headers
 * @param {Blob | string | null} [body]
 * @param {(sent: number) => void} [onProgress]
 * @returns {Promise<Reply>}
 */
const exchange = (method, url, headers, body = null, onProgress = () => {}) =>
  new Promise((resolve) => {
    const xhr = new XMLHttpRequest()
    xhr.upload.addEventListener("progress", ({ loaded }) => onProgress(loaded))
    xhr.addEventListener("loadend", () =>
      resolve({ status: xhr.status, text: xhr.responseText, header: (name) => xhr.getResponseHeader(name) })
    )
    xhr.open(method, url)
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.send(body)
  })

/** Requests an upload link. Returns why there is none. @returns {Promise<Answer | undefined>} */
const openLink = async () => {
  const reply = await exchange("POST", `${base}/upload-links`, { "content-type": "application/json" }, "{}")
  const { url } = parse(reply.text)
  if (reply.status !== 200 || typeof url !== "string") return toAnswer(reply)
  uploads = new URL(url, location.href)
  uploads.pathname += "s"
  return undefined
}

/** @param {string} text */
const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** @param {URL} at @param {File} file @param {Upload} upload @returns {Promise<Answer | undefined>} Why the upload was not created; `stored` for an empty file. */
const create = async (at, file, upload) => {
  const type = file.type === "" ? "" : `,filetype ${base64(file.type)}`
  const metadata = `filename ${base64(file.name)}${type}`
  const headers = { ...resumable, "upload-length": String(file.size), "upload-metadata": metadata }
  const reply = await exchange("POST", at, headers)
  if (reply.status === 0) upload.isUnanswered = true
  if (reply.status !== 201) {
    const answer = toAnswer(reply)
    // An upload whose creation was not answered may have the room.
    const mayHaveRoom = upload.isUnanswered === true && answer.code === "share_exhausted"
    return mayHaveRoom ? { ...answer, status: 503, retryAfter: untilRoom } : answer
  }
  if (reply.header("holdfast-file-id") !== null) return stored
  // A proxy may have changed the path before the id.
  upload.id = reply.header("location")?.split("/").at(-1) ?? ""
  upload.offset = 0
  return undefined
}

/** Ends a former request, and finds where the service has the bytes. @param {URL} at @param {File} file @param {Upload} upload @returns {Promise<Answer | undefined>} */
const find = async (at, file, upload) => {
  const reply = await exchange("HEAD", addressOf(at, upload), resumable)
  const { header, status } = reply
  if (header("holdfast-file-id") !== null) return stored
  if (status === 401 || status === 404 || isTemporary(toAnswer(reply))) return toAnswer(reply)
  // The page of a network that wants a login.
  if (status === 200 && header("upload-offset") === null) return lost
  // A reply without an offset refuses the completion, and has no body that says why: the reply to the next request does.
  const offset = Number(header("upload-offset") ?? file.size)
  if (offset > upload.offset) upload.failures = 0
  upload.offset = offset
  return undefined
}

/** Sends the bytes after the offset of the upload. @param {URL} at @param {File} file @param {Upload} upload @param {Listeners} listeners @returns {Promise<Answer>} */
const send = async (at, file, upload, listeners) => {
  const { offset } = upload
  /** @param {number} sent */
  const onProgress = (sent) => listeners.onProgress((offset + sent) / file.size)
  const bytes = file.slice(offset, offset + Math.max(chunkBytes, Math.ceil(file.size / mostRequests)))
  const headers = { ...resumable, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) }
  onProgress(0)
  const reply = await exchange("PATCH", addressOf(at, upload), headers, bytes, onProgress)
  if (reply.status === 409) return stale
  if (reply.status !== 204) return toAnswer(reply)
  if (reply.header("holdfast-file-id") !== null) return stored
  const next = Number(reply.header("upload-offset"))
  // The file has become shorter.
  if (!(next > offset)) return { ...lost, code: "unreadable" }
  upload.offset = next
  upload.failures = 0
  return send(at, file, upload, listeners)
}

/** @param {File} file @param {Upload} upload @param {Listeners} listeners @returns {Promise<Answer>} */
const attempt = async (file, upload, listeners) => {
  if (!(await isReadable(file))) return { ...lost, code: "unreadable" }
  const refusal = uploads === undefined ? await openLink() : undefined
  if (refusal !== undefined) return refusal
  const at = uploads
  if (at === undefined) return stale
  const begun = upload.id === "" ? await create(at, file, upload) : await find(at, file, upload)
  const answer = begun ?? (await send(at, file, upload, listeners))
  if (answer.status === 401) {
    if (uploads === at) uploads = undefined
    return stale
  }
  if (answer.status === 404 && upload.id !== "") {
    upload.id = ""
    return stale
  }
  return answer
}

/** Waits until the browser has a network, then so many seconds. @param {number} seconds */
const wait = async (seconds) => {
  if (!navigator.onLine) await new Promise((resolve) => addEventListener("online", resolve, { once: true }))
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/** @param {File} file @param {Upload} upload @param {Listeners} listeners @returns {Promise<Answer>} */
const attemptUntilAnswered = async (file, upload, listeners) => {
  const answer = await attempt(file, upload, listeners)
  if (!isTemporary(answer) || ++upload.failures === maxAttempts || answer.retryAfter > longestWait) return answer
  if (answer.isStale !== true) {
    listeners.onWait()
    // Half of the wait is random, so that pages which lost their connections together do not return together.
    const backoff = 2 ** (upload.failures - 1) * (0.5 + Math.random() / 2)
    await wait(Math.max(backoff, answer.retryAfter))
  }
  return attemptUntilAnswered(file, upload, listeners)
}

/** Ends an upload, so that the share has the room of its bytes now. One whose request is lost ends when it expires. @param {Upload} upload */
const release = (upload) => {
  if (uploads === undefined || upload.id === "") return
  fetch(addressOf(uploads, upload), { method: "DELETE", headers: resumable, keepalive: true }).catch(() => undefined)
}

addEventListener("pagehide", () => {
  // A browser may show the page again: each upload then learns whether it was completed before.
  for (const upload of unfinished.values()) release(upload)
})

/** Sends a file. A further call for the same file continues its upload. @param {File} file @param {Listeners} listeners @returns {Promise<Answer>} */
export const sendFile = async (file, listeners) => {
  const upload = unfinished.get(file) ?? { id: "", offset: 0, failures: 0 }
  unfinished.set(file, upload)
  upload.failures = 0
  const answer = await attemptUntilAnswered(file, upload, listeners)
  if (answer.code === "stored" || !mayRetry(answer)) unfinished.delete(file)
  if (answer.code !== "stored" && !mayRetry(answer)) release(upload)
  // A link keeps the limits of the share at its creation, which may be other ones at the next attempt.
  if (["content_too_large", "share_exhausted"].includes(answer.code)) uploads = undefined
  return answer
}
