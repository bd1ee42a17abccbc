/**
 * The page that plays one stream, to be embedded in other pages.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as AssetNames from "./AssetNames.ts"
import * as Markup from "./Markup.ts"
import * as Page from "./Page.ts"
import type { PlayerParameters } from "./PlayerParameters.ts"

export interface Input {
  readonly format: Format
  /** Of the playlist or manifest with its key, relative to the page. */
  readonly source: string
  /** Of the list of conversions with its key, relative to the page. */
  readonly status: string
  /** Of a still, relative to the page; undefined for none. It is asked for when the stream is READY. */
  readonly poster: string | undefined
  /** What is played, in the words of its owner. */
  readonly title: string
  readonly parameters: PlayerParameters
  /** Who may show it in a frame, as in `frame-ancestors`. */
  readonly frameAncestors: string
  /** Where the assets are, relative to the page, with a slash at the end; by default for `…/streams/<format>`. */
  readonly assetsBase?: string
}

const video = ({ parameters, poster, title }: Input): string => {
  const attributes = [
    Markup.attribute("controls", parameters.controls),
    Markup.attribute("muted", parameters.muted),
    Markup.attribute("loop", parameters.repeat),
    Markup.attribute("width", parameters.width),
    Markup.attribute("height", parameters.height),
    // The script shows it when the stream is whole: until then there may be none, and browsers tell of that in the console.
    Markup.attribute("data-poster", poster),
    Markup.attribute("aria-label", title)
  ]
  // Without controls it is no tab stop: the button beside it is.
  return `<video id="video"${attributes.join("")} playsinline preload="metadata"></video>`
}

/** What the script is told. */
const settings = ({ format, parameters, source, status }: Input, base: string): string =>
  Markup.data({
    format,
    source,
    status,
    engine: base + AssetNames.engine(format),
    autoplay: parameters.autoplay,
    controls: parameters.controls,
    seek: parameters.seek,
    speed: parameters.speed
  })

/**
 * Renders the page.
 *
 * Everything in the input is escaped. The page loads nothing but what it is given and the assets of its format. It
 * shows how far the conversion is while that runs, and says in words what is wrong.
 */
export const render = (input: Input): Page.Page => {
  const base = input.assetsBase ?? Page.assetsBase
  return Page.make({
    title: input.title,
    base,
    frameAncestors: input.frameAncestors,
    head: [
      ...AssetNames.modules().map((name) => `<link rel="modulepreload" href="${Markup.escape(base + name)}">`),
      `<script type="module" src="${Markup.escape(base + AssetNames.script())}"></script>`
    ],
    body: [
      `<h1 class="unseen" dir="auto">${Markup.escape(input.title)}</h1>`,
      `<div class="stage${input.parameters.width === undefined && input.parameters.height === undefined ? " fill" : ""}">`,
      video(input),
      '<button class="play" id="play" type="button" hidden>Play</button>',
      '<div class="notice unseen" id="notice">',
      '<p><span id="status" role="status"></span><span id="percent"></span></p>',
      '<progress id="progress" max="1" aria-label="Conversion" hidden></progress>',
      '<p id="alert" role="alert"></p>',
      '<button id="again" type="button" hidden>Try again</button>',
      "</div>",
      '<button class="sound" id="sound" type="button" hidden>Turn the sound on</button>',
      '<noscript><p class="notice">This player needs JavaScript.</p></noscript>',
      "</div>",
      `<script type="application/json" id="settings">${settings(input, base)}</script>`
    ]
  })
}

export { render as renderProblem } from "./ProblemPage.ts"
