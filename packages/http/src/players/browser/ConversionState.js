/**
 * Queries the state of the conversion that this page plays.
 */

/**
 * A stream that can be played, or may be later.
 *
 * @typedef {{ readonly state: "queued" | "running", readonly progress: number } | { readonly state: "ready" }} Available
 */

/**
 * Why the stream cannot be played: the conversion failed, there is none, or the key in the page's address is not valid.
 *
 * @typedef {{ readonly state: "failed", readonly reason: string } | { readonly state: "missing" | "forbidden" }} Refused
 */

/** @typedef {Available | Refused | { readonly state: "offline" }} ConversionState */

/** @import { Settings } from "./Settings.js" */

/**
 * @param {string} url
 * @returns {Promise<Response | undefined>} Undefined on a network error.
 */
const get = (url) => fetch(url, { cache: "no-store" }).catch(() => undefined)

/**
 * @param {unknown} body
 * @param {string} format
 * @returns {ConversionState}
 */
const read = (body, format) => {
  const items =
    /** @type {{ items: Array<{ format: string, state: string, progress: number, error: string | null }> }} */ (body)
      .items
  const item = items.find((candidate) => candidate.format === format)
  switch (item?.state) {
    case undefined:
      return { state: "missing" }
    case "READY":
      return { state: "ready" }
    case "FAILED":
      return { state: "failed", reason: item?.error ?? "" }
    default:
      return { state: item?.state === "RUNNING" ? "running" : "queued", progress: item?.progress ?? 0 }
  }
}

/**
 * Queries the server. Returns `offline` for network and server errors, which are temporary.
 *
 * @param {Settings} settings
 * @returns {Promise<ConversionState>}
 */
export const query = async ({ format, status }) => {
  const response = await get(status)
  if (response?.status === 401 || response?.status === 403) return { state: "forbidden" }
  if (response?.status === 404) return { state: "missing" }
  if (response === undefined || !response.ok) return { state: "offline" }
  return response.json().then(
    (body) => read(body, format),
    () => ({ state: "offline" })
  )
}

/**
 * Returns whether a running conversion has produced its first segment. The server responds when there is one, or after a
 * timeout.
 *
 * @param {Settings} settings
 * @returns {Promise<boolean>}
 */
export const hasFirstSegment = async ({ source }) => {
  const response = await get(source)
  await response?.body?.cancel()
  return response?.ok === true
}

/**
 * @param {{ readonly state: string }} conversion
 * @returns {conversion is Refused}
 */
export const isRefused = (conversion) => ["failed", "missing", "forbidden"].includes(conversion.state)
