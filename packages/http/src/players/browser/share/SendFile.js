/**
 * Sends one file to the folder of a share. Retries what may succeed later: a lost connection, a busy service. Each attempt sends the whole
 * file to an upload link of its own, since a link is valid for an hour.
 */

import { base } from "../ShareElements.js"

/**
 * How an attempt has ended: `"stored"`, the `code` of a problem, `"lost"` for a connection that ended, or `"unreadable"`.
 *
 * @typedef {{ code: string, status: number, retryAfter: number, isName?: boolean }} Answer
 */

const maxAttempts = 5

/** Seconds. A person decides about a longer wait. */
const longestWait = 60

const lost = { code: "lost", status: 0, retryAfter: 0 }

/** Reads a problem; a proxy may answer with something else. @param {string} text */
const parse = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** @param {number} status @param {string} text @param {string | null} retryAfter @returns {Answer} */
const toAnswer = (status, text, retryAfter) => {
  const { code, errors } = parse(text)
  return {
    code: String(code),
    status,
    retryAfter: Number(retryAfter) || 0,
    isName: Array.isArray(errors) && errors.some(({ pointer }) => pointer === "/name")
  }
}

/** @param {Answer} answer */
const isTemporary = ({ code, status }) =>
  [0, 408, 425, 429].includes(status) ? code !== "unreadable" : status >= 500 && code !== "storage_full"

/** Returns whether the browser can still read the file: it cannot read a folder, or a file that has changed. @param {File} file */
const isReadable = (file) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false
    )

/** @param {string} url @param {File} file @param {(share: number) => void} onProgress @returns {Promise<Answer>} */
const put = (url, file, onProgress) =>
  new Promise((resolve) => {
    const xhr = new XMLHttpRequest()
    xhr.upload.addEventListener("progress", ({ loaded }) => onProgress(file.size === 0 ? 1 : loaded / file.size))
    xhr.addEventListener("load", () =>
      resolve(
        xhr.status === 201
          ? { code: "stored", status: 201, retryAfter: 0 }
          : toAnswer(xhr.status, xhr.responseText, xhr.getResponseHeader("retry-after"))
      )
    )
    xhr.addEventListener("error", () => resolve(lost))
    xhr.open("PUT", `${url}&${new URLSearchParams({ name: file.name })}`)
    xhr.setRequestHeader("content-type", file.type === "" ? "application/octet-stream" : file.type)
    xhr.send(file)
  })

/** @param {File} file @param {(share: number) => void} onProgress @returns {Promise<Answer>} */
const attempt = async (file, onProgress) => {
  if (!(await isReadable(file))) return { ...lost, code: "unreadable" }
  try {
    const headers = { "content-type": "application/json" }
    const response = await fetch(`${base}/upload-links`, { method: "POST", headers, body: "{}" })
    const text = await response.text()
    if (response.ok) return await put(JSON.parse(text).url, file, onProgress)
    return toAnswer(response.status, text, response.headers.get("retry-after"))
  } catch {
    // `fetch` rejects when the connection ends, and `JSON.parse` when a proxy has answered.
    return lost
  }
}

/** Waits until the browser has a network, then so many seconds. @param {number} seconds */
const wait = async (seconds) => {
  if (!navigator.onLine) await new Promise((resolve) => addEventListener("online", resolve, { once: true }))
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/**
 * @param {File} file
 * @param {{ onProgress: (share: number) => void, onWait: () => void }} listeners
 * @param {number} [number] The number of the attempt.
 * @returns {Promise<Answer>}
 */
export const sendFile = async (file, listeners, number = 1) => {
  const answer = await attempt(file, listeners.onProgress)
  if (!isTemporary(answer) || number === maxAttempts || answer.retryAfter > longestWait) return answer
  listeners.onWait()
  // Half of the wait is random, so that pages which lost their connections together do not return together.
  const backoff = 2 ** (number - 1) * (0.5 + Math.random() / 2)
  await wait(Math.max(backoff, answer.retryAfter))
  return sendFile(file, listeners, number + 1)
}
