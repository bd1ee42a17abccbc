/**
 * Arguments for the captions of a presentation, one file for each track of text.
 */
import { draftName } from "../output/CaptionOutput.ts"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { Tracks } from "./Tracks.ts"

/** Bytes of one file, after which its text ends. That of a film of three hours has 150 KB. */
export const maxBytes = 4 * 2 ** 20

export const outputs = ({ captions }: Tracks): ReadonlyArray<string> =>
  captions.flatMap(({ map, rendition }) => [
    ...Options.make({ map, "c:s": "webvtt", ...Encoding.output, sn: undefined, fs: maxBytes, f: "webvtt" }),
    draftName(rendition)
  ])
