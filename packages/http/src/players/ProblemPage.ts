/**
 * The page that a viewer gets instead of a player: says why, without details that the viewer may not see.
 */
import * as Markup from "@holdfast/core/playback/Markup"
import * as Page from "./Page.ts"

export interface Input {
  /** HTTP status of the response. */
  readonly status: number
  /** Code of the problem, as in the API; distinguishes problems of one status. */
  readonly code?: string
  /** Shown only for a failed conversion, whose reason may be shown to the file's owner. */
  readonly detail?: string | undefined
  /** Value of the directive `frame-ancestors`. */
  readonly frameAncestors: string
  /** Base of the assets relative to the page, with a trailing slash. Default: for `…/streams/<format>`. */
  readonly assetsBase?: string
}

interface Message {
  readonly title: string
  readonly text: string
  /** Whether another request may succeed. */
  readonly canRetry?: boolean
}

const missing: Message = {
  title: "Video not found",
  text: "There is no video at this address. It may have been removed."
}

const unavailable: Message = {
  title: "Not available for the moment",
  text: "The server cannot respond right now. Please try again soon.",
  canRetry: true
}

const byCode: { readonly [code: string]: Message } = {
  stream_not_converted: {
    title: "Not converted yet",
    text: "This video has not been converted to this format yet.",
    canRetry: true
  },
  content_not_uploaded: { title: "Not uploaded yet", text: "The video has not been uploaded yet.", canRetry: true },
  not_a_video: { title: "Not a video", text: "This file is neither video nor audio, so it cannot be played." },
  content_encrypted: { title: "Encrypted video", text: "This video is encrypted, so it cannot be played here." },
  conversion_failed: { title: "The conversion failed", text: "This video could not be converted." }
}

const byStatus: { readonly [status: number]: Message } = {
  401: { title: "Link not valid", text: "This link is not valid or has expired. Ask for a new one." },
  403: { title: "Not permitted", text: "This link does not permit watching the video." },
  404: missing,
  422: { title: "Not playable", text: "This video cannot be played." },
  429: unavailable,
  503: unavailable
}

const fallback = (status: number): Message => ({
  title: "The player cannot be shown",
  text: status < 500 ? "This address is not valid." : "The server failed.",
  canRetry: status >= 500
})

const toMessage = ({ code, status }: Input): Message =>
  (code !== undefined && Object.hasOwn(byCode, code) ? byCode[code] : undefined) ?? byStatus[status] ?? fallback(status)

/** Renders the page. The response has the status of the problem. */
export const render = (input: Input): Page.Page => {
  const { canRetry, text, title } = toMessage(input)
  const reason = input.code === "conversion_failed" ? input.detail : undefined
  return Page.make({
    title,
    base: input.assetsBase ?? Page.assetsBase,
    frameAncestors: input.frameAncestors,
    head: [],
    body: [
      '<div class="stage fill">',
      '<div class="notice">',
      `<h1>${Markup.escape(title)}</h1>`,
      `<p role="alert">${Markup.escape(text)}</p>`,
      ...(reason === undefined ? [] : [`<p class="reason" dir="auto">${Markup.escape(reason)}</p>`]),
      // An empty reference is the address of this page, including its query.
      ...(canRetry === true ? ['<p><a href="">Try again</a></p>'] : []),
      "</div>",
      "</div>"
    ]
  })
}
