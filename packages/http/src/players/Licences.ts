/**
 * The licences of the libraries that the players are made of, which go where the libraries go.
 */

/** What stands at the beginning of a library's file. */
export const banners = {
  hls: "hls.js | Copyright (c) 2017 Dailymotion | Apache-2.0",
  dash: "dash.js | Copyright (c) 2015 Dash Industry Forum | BSD-3-Clause"
} as const

export interface Texts {
  readonly apache: string
  readonly hls: string
  readonly dash: string
  /** Of what dash.js itself contains. */
  readonly dashParts: string
}

const section = (title: string, ...texts: ReadonlyArray<string>): string =>
  [title, "=".repeat(title.length), ...texts.map((text) => text.trim())].join("\n\n")

/** All of them in one file. */
export const text = ({ apache, dash, dashParts, hls }: Texts): string =>
  [section("hls.js", hls, apache), section("dash.js", dash, "It contains:", dashParts)].join("\n\n\n") + "\n"
