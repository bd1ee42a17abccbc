/**
 * The page that plays one stream, for frames in other pages.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as AssetNames from "./AssetNames.ts"
import * as Markup from "@holdfast/core/playback/Markup"
import * as Page from "./Page.ts"
import * as PlayerControls from "./PlayerControls.ts"
import type { PlayerParameters } from "./PlayerParameters.ts"

export interface Input {
  readonly format: Format
  /** Address of the playlist or manifest with its key, relative to the page. */
  readonly source: string
  /** Address of the list of conversions with its key, relative to the page. */
  readonly status: string
  /** Address of the poster, relative to the page; undefined for none. The script loads it when the stream is READY. */
  readonly poster: string | undefined
  /** Address of the storyboard, likewise. The script loads it when the viewer moves the pointer over the seek bar. */
  readonly storyboard: string | undefined
  /** Whether the stream is known to have no picture. The script finds that out for a conversion that has not begun. */
  readonly isSound: boolean
  /** The file's name. */
  readonly title: string
  readonly parameters: PlayerParameters
  /** Value of the directive `frame-ancestors`. */
  readonly frameAncestors: string
  /** Base of the assets relative to the page, with a trailing slash. Default: for `…/streams/<format>`. */
  readonly assetsBase?: string
}

const video = ({ parameters, poster, title }: Input): string => {
  const attributes = [
    Markup.attribute("muted", parameters.muted),
    Markup.attribute("loop", parameters.repeat),
    Markup.attribute("width", parameters.width),
    Markup.attribute("height", parameters.height),
    // The script sets the poster when the stream is READY: before, it may be missing, which browsers log in the console.
    Markup.attribute("data-poster", poster),
    Markup.attribute("aria-label", title)
  ]
  // The video is no tab stop; the controls are.
  return `<video id="video"${attributes.join("")} playsinline preload="metadata"></video>`
}

const stage = ({ isSound, parameters: { height, width } }: Input): string => {
  const classes = [
    "stage",
    ...(width === undefined && height === undefined ? ["fill"] : []),
    ...(isSound ? ["audio"] : [])
  ]
  return `<div id="stage" class="${classes.join(" ")}">`
}

/** What the stage shows of sound alone until the script has loaded a poster. The heading of the page has the same text. */
const cover = (title: string): string =>
  [
    '<div class="cover" part="cover" id="cover" aria-hidden="true">',
    '<svg class="wave" part="wave" viewBox="0 0 24 24"><path d="M4 10v4"/><path d="M8 7v10"/><path d="M12 4v16"/><path d="M16 8v8"/><path d="M20 10.5v3"/></svg>',
    `<span class="name" part="title" dir="auto">${Markup.escape(title)}</span>`,
    "</div>"
  ].join("")

/** Returns the settings for the script. */
const settings = ({ format, parameters, source, status, storyboard }: Input, base: string): string =>
  Markup.data({
    format,
    source,
    status,
    engine: base + AssetNames.engine(format),
    autoplay: parameters.autoplay,
    controls: parameters.controls,
    seek: parameters.seek,
    storyboard,
    speed: parameters.speed
  })

/**
 * Renders the page. All input is escaped. The page loads only the given addresses and the assets of its format. It shows the
 * progress of a running conversion, and problems in words.
 */
export const render = (input: Input): Page.Page => {
  const base = input.assetsBase ?? Page.assetsBase
  return Page.make({
    title: input.title,
    base,
    frameAncestors: input.frameAncestors,
    format: input.format,
    head: [
      // The library is the largest file by far. Over a slow line, its loading would otherwise begin after that of all modules, and after
      // the query of the conversion's state.
      ...[AssetNames.engine(input.format), ...AssetNames.modules()].map(
        (name) => `<link rel="modulepreload" href="${Markup.escape(base + name)}">`
      ),
      `<script type="module" src="${Markup.escape(base + AssetNames.script())}"></script>`
    ],
    body: [
      `<h1 class="unseen" dir="auto">${Markup.escape(input.title)}</h1>`,
      stage(input),
      cover(input.title),
      video(input),
      '<button class="play" part="single-button" id="play" type="button" hidden>Play</button>',
      '<div class="notice unseen" id="notice">',
      '<p><span id="status" role="status"></span><span id="percent"></span></p>',
      '<progress id="progress" max="1" aria-label="Conversion" hidden></progress>',
      '<p id="alert" role="alert"></p>',
      '<button id="again" type="button" hidden>Try again</button>',
      "</div>",
      ...PlayerControls.markup,
      '<button class="sound" id="sound" type="button" hidden>Turn the sound on</button>',
      '<noscript><p class="notice">This player needs JavaScript.</p></noscript>',
      "</div>",
      `<script type="application/json" id="settings">${settings(input, base)}</script>`
    ]
  })
}
