/**
 * What all player pages share: head, style and headers.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as AssetNames from "./AssetNames.ts"
import * as Markup from "@holdfast/core/playback/Markup"
import * as PlayerHeaders from "./PlayerHeaders.ts"

export interface Page {
  readonly html: string
  readonly headers: PlayerHeaders.Headers
}

/** Base of the assets relative to `…/tenants/<id>/buckets/<id>/files/<id>/streams/<format>`, wherever the API is mounted. */
export const assetsBase = "../".repeat(7) + "players/"

/** `head` and `body` are HTML, the others are text. */
export interface Parts {
  readonly title: string
  readonly base: string
  readonly frameAncestors: string
  /** The format of the stream that the page plays. */
  readonly format?: Format
  readonly head: ReadonlyArray<string>
  readonly body: ReadonlyArray<string>
}

export const make = ({ base, body, format, frameAncestors, head, title }: Parts): Page => ({
  headers: PlayerHeaders.of(frameAncestors, format),
  html: `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<title>${Markup.escape(title)}</title>`,
    // An empty icon: without it, browsers request one from the host.
    '<link rel="icon" href="data:,">',
    `<link rel="stylesheet" href="${Markup.escape(base + AssetNames.style())}">`,
    ...head,
    "</head>",
    "<body>",
    "<main>",
    ...body,
    "</main>",
    "</body>",
    "</html>"
  ].join("\n")}\n`
})
