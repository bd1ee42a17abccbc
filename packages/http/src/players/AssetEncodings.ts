/**
 * The content codings of an asset. An asset is compressed once, when the first client accepts the coding.
 */
import * as Effect from "effect/Effect"
import * as ContentCodings from "../transfer/response/ContentCodings.ts"
import type { AssetFile } from "./AssetFiles.ts"

export interface Representation {
  readonly coding: ContentCodings.Coding
  readonly bytes: Uint8Array
  /** A strong entity tag, with its quotes. Each coding has its own. */
  readonly etag: string
}

/** Brotli's slowest setting, 11, would save another twentieth of the size for more than a second of processor time. */
const effort: ContentCodings.Effort = { br: 9, gzip: 9 }

/** Makes the representations of a file. Each is computed at its first request and cached. */
export const make = Effect.fnUntraced(function* ({
  content,
  tag
}: AssetFile): Effect.fn.Return<(coding: ContentCodings.Coding) => Effect.Effect<Representation>> {
  const prepare = (coding: ContentCodings.Coding) =>
    Effect.cached(
      Effect.map(
        Effect.promise(() => ContentCodings.encode(content, coding, effort)),
        (bytes) => ({ coding, bytes, etag: ContentCodings.etagOf(tag, coding) })
      )
    )
  const all = { br: yield* prepare("br"), gzip: yield* prepare("gzip"), identity: yield* prepare("identity") }
  return (coding) => all[coding]
})
