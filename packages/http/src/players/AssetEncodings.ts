/**
 * The content encodings of an asset. An asset is compressed once, when the first client accepts the encoding.
 */
import * as Effect from "effect/Effect"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { AssetFile } from "./AssetFiles.ts"

export type Encoding = "br" | "gzip" | "identity"

export interface Representation {
  readonly encoding: Encoding
  readonly bytes: Uint8Array
  /** A strong entity tag, with its quotes. Each encoding has its own. */
  readonly etag: string
}

/** In the server's order of preference. */
const compressions = ["br", "gzip"] as const

/** Parses the weights in an `Accept-Encoding` (RFC 9110, section 12.5.3). The map contains only named encodings. */
const weights = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").flatMap((item): ReadonlyArray<[string, number]> => {
      const [, name, weight = "1"] = /^\s*([\w*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i.exec(item) ?? []
      return name === undefined ? [] : [[name.toLowerCase(), Number(weight)]]
    })
  )

/** Chooses the encoding for a client. A client that accepts none, not even `identity`, gets `identity`. */
export const choose = (header: string | undefined): Encoding => {
  if (header === undefined) return "identity"
  const accepted = weights(header)
  const weightOf = (name: string) => accepted.get(name) ?? accepted.get("*") ?? 0
  const best = Math.max(...compressions.map(weightOf))
  return compressions.find((name) => best > 0 && weightOf(name) === best) ?? "identity"
}

const zip = promisify(gzip)
const brotli = promisify(brotliCompress)

/** Brotli's slowest setting, 11, would save another twentieth of the size for more than a second of processor time. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const encode = (content: string, encoding: Encoding): Effect.Effect<Uint8Array> => {
  switch (encoding) {
    case "br":
      return Effect.promise(() => brotli(content, quality))
    case "gzip":
      return Effect.promise(() => zip(content, { level: 9 }))
    case "identity":
      return Effect.sync(() => Buffer.from(content))
  }
}

/** Makes the representations of a file. Each is computed at its first request and cached. */
export const make = ({
  content,
  tag
}: AssetFile): Effect.Effect<(encoding: Encoding) => Effect.Effect<Representation>> =>
  Effect.gen(function* () {
    const prepare = (encoding: Encoding) =>
      Effect.cached(
        Effect.map(encode(content, encoding), (bytes) => ({
          encoding,
          bytes,
          etag: encoding === "identity" ? `"${tag}"` : `"${tag}-${encoding}"`
        }))
      )
    const all = { br: yield* prepare("br"), gzip: yield* prepare("gzip"), identity: yield* prepare("identity") }
    return (encoding) => all[encoding]
  })
