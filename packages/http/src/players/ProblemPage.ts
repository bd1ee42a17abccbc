/**
 * What people see in place of a player: why there is none, in words, and nothing that they may not know.
 */
import * as Markup from "./Markup.ts"
import * as Page from "./Page.ts"

export interface Input {
  /** Of the answer that this page is. */
  readonly status: number
  /** Of the problem, as in the API: tells kinds of one status from each other. */
  readonly code?: string
  /** Why a conversion failed, fit for the file's owner; of no other problem is anything shown. */
  readonly detail?: string | undefined
  /** Who may show it in a frame, as in `frame-ancestors`. */
  readonly frameAncestors: string
  /** Where the assets are, relative to the page, with a slash at the end; by default for `…/streams/<format>`. */
  readonly assetsBase?: string
}

interface Words {
  readonly title: string
  readonly text: string
  /** Whether asking again may help. */
  readonly again?: boolean
}

const missing: Words = {
  title: "Video not found",
  text: "There is no video at this address. It may have been removed."
}

const unavailable: Words = {
  title: "Not available for the moment",
  text: "The server cannot answer right now. Please try again soon.",
  again: true
}

const byCode: { readonly [code: string]: Words } = {
  stream_not_converted: {
    title: "Not converted yet",
    text: "Nobody has asked for this video in this format yet.",
    again: true
  },
  content_not_uploaded: { title: "Not uploaded yet", text: "The video has not been uploaded yet.", again: true },
  not_a_video: { title: "Not a video", text: "This file is neither video nor audio, so it cannot be played." },
  conversion_failed: { title: "The conversion failed", text: "This video could not be converted." }
}

const byStatus: { readonly [status: number]: Words } = {
  401: { title: "Link not valid", text: "This link is not valid, or not any more. Ask for a new one." },
  403: { title: "Not permitted", text: "This link does not permit watching the video." },
  404: missing,
  422: { title: "Not playable", text: "This video cannot be played." },
  429: unavailable,
  503: unavailable
}

const fallback = (status: number): Words => ({
  title: "The player cannot be shown",
  text: status < 500 ? "This address is not right." : "The server failed.",
  again: status >= 500
})

const wordsOf = ({ code, status }: Input): Words =>
  (code !== undefined && Object.hasOwn(byCode, code) ? byCode[code] : undefined) ?? byStatus[status] ?? fallback(status)

/** Renders the page, to be answered with the problem's own status. */
export const render = (input: Input): Page.Page => {
  const { again, text, title } = wordsOf(input)
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
      // An empty reference is this page's own address, with all that is in it.
      ...(again === true ? ['<p><a href="">Try again</a></p>'] : []),
      "</div>",
      "</div>"
    ]
  })
}
