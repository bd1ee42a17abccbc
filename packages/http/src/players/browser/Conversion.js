/**
 * How far the conversion is that this page plays, and what became of it.
 */

/**
 * What is played, or may soon be.
 *
 * @typedef {{ readonly state: "queued" | "running", readonly progress: number } | { readonly state: "ready" }} Alive
 */

/**
 * Why it cannot be played: it failed, is not (or no more) there, or the key in the page's address does not hold.
 *
 * @typedef {{ readonly state: "failed", readonly reason: string } | { readonly state: "missing" | "forbidden" }} Refused
 */

/** @typedef {Alive | Refused | { readonly state: "offline" }} Conversion */

/** @import { Settings } from "./Settings.js" */

/**
 * @param {string} url
 * @returns {Promise<Response | undefined>} Undefined when the network is gone.
 */
const get = (url) => fetch(url, { cache: "no-store" }).catch(() => undefined)

/**
 * @param {unknown} body
 * @param {string} format
 * @returns {Conversion}
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
 * Asks the server. Whatever is wrong with the network or the server itself is `offline`: it passes.
 *
 * @param {Settings} settings
 * @returns {Promise<Conversion>}
 */
export const ask = async ({ format, status }) => {
  const answer = await get(status)
  if (answer?.status === 401 || answer?.status === 403) return { state: "forbidden" }
  if (answer?.status === 404) return { state: "missing" }
  if (answer === undefined || !answer.ok) return { state: "offline" }
  return answer.json().then(
    (body) => read(body, format),
    () => ({ state: "offline" })
  )
}

/**
 * Whether a conversion that runs has made its first segment; the server answers when there is one, or after a while.
 *
 * @param {Settings} settings
 * @returns {Promise<boolean>}
 */
export const hasBegun = async ({ source }) => {
  const answer = await get(source)
  await answer?.body?.cancel()
  return answer?.ok === true
}

/**
 * @param {{ readonly state: string }} conversion
 * @returns {conversion is Refused}
 */
export const isRefused = (conversion) => ["failed", "missing", "forbidden"].includes(conversion.state)
