/**
 * The licences of the libraries of the players. They are served with the libraries.
 */
import type { PlayerSources } from "./PlayerSources.ts"

/** Texts of the comment at the beginning of each library's file. */
export const banners = {
  hls: "hls.js | Copyright (c) 2017 Dailymotion | Apache-2.0",
  dash: "dash.js | Copyright (c) 2015 Dash Industry Forum | BSD-3-Clause"
} as const

const section = (title: string, ...texts: ReadonlyArray<string>): string =>
  [title, "=".repeat(title.length), ...texts.map((text) => text.trim())].join("\n\n")

/** Returns all licences as one text. */
export const text = ({ apache, dash, dashParts, hls }: PlayerSources["licences"]): string =>
  [section("hls.js", hls, apache), section("dash.js", dash, "It contains:", dashParts)].join("\n\n\n") + "\n"
