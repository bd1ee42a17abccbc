/**
 * An asset as a client accepts it: compressed once for all clients, when the first one accepts it so.
 */
import * as Effect from "effect/Effect"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { AssetFile } from "./AssetFiles.ts"

export type Encoding = "br" | "gzip" | "identity"

export interface Representation {
  readonly encoding: Encoding
  readonly bytes: Uint8Array
  /** Strong, with its quotes: another encoding is another sequence of bytes. */
  readonly etag: string
}

/** In the order in which the server prefers them. */
const coded = ["br", "gzip"] as const

/** The weights of an `Accept-Encoding` (RFC 9110, section 12.5.3); what it does not name is not in the map. */
const weights = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").flatMap((item): ReadonlyArray<[string, number]> => {
      const [, name, weight = "1"] = /^\s*([\w*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i.exec(item) ?? []
      return name === undefined ? [] : [[name.toLowerCase(), Number(weight)]]
    })
  )

/** The encoding for a client. Uncompressed is always good enough: a client that forbids even that gets it all the same. */
export const choose = (header: string | undefined): Encoding => {
  if (header === undefined) return "identity"
  const accepted = weights(header)
  const weightOf = (name: string) => accepted.get(name) ?? accepted.get("*") ?? 0
  const best = Math.max(...coded.map(weightOf))
  return coded.find((name) => best > 0 && weightOf(name) === best) ?? "identity"
}

const zip = promisify(gzip)
const brotli = promisify(brotliCompress)

/** The last step of the slowest setting costs more than a second of a processor, for a twentieth of the size. */
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

/** Makes the representations of a file; each is made when it is first asked for, and kept. */
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
