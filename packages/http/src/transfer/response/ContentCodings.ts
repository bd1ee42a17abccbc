/**
 * Content codings of texts (RFC 9110, section 8.4).
 */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

export type Coding = "br" | "gzip" | "identity"

/** In the server's order of preference. */
const compressions = ["br", "gzip"] as const

/** Parses the weights in an `Accept-Encoding` (RFC 9110, section 12.5.3). The map contains only named codings. */
const weights = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").flatMap((item): ReadonlyArray<[string, number]> => {
      const [, name, weight = "1"] = /^([\w*-]+)(?:\s*;\s*q=([01](?:\.\d{0,3})?))?$/i.exec(item.trim()) ?? []
      return name === undefined ? [] : [[name.toLowerCase(), Number(weight)]]
    })
  )

/** Chooses the coding for a client. A client that accepts none, not even `identity`, gets `identity`. */
export const choose = (header: string | undefined): Coding => {
  if (header === undefined) return "identity"
  const accepted = weights(header)
  const weightOf = (name: string) => accepted.get(name) ?? accepted.get("*") ?? 0
  const best = Math.max(...compressions.map(weightOf))
  return compressions.find((name) => best > 0 && weightOf(name) === best) ?? "identity"
}

/** Returns the strong entity tag of one representation of a content, with its quotes. Each coding has its own. */
export const etagOf = (tag: string, coding: Coding): string =>
  coding === "identity" ? `"${tag}"` : `"${tag}-${coding}"`

/** The headers of a representation, beside those of its content. */
export const headersOf = (coding: Coding): Readonly<Record<string, string>> =>
  coding === "identity" ? {} : { "content-encoding": coding }

/** Effort of compression: of brotli (0 to 11) and gzip (1 to 9). */
export interface Effort {
  readonly br: number
  readonly gzip: number
}

const zip = promisify(gzip)
const brotli = promisify(brotliCompress)

/** Returns a text in a coding. Compresses in another thread. */
export const encode = async (text: string, coding: Coding, effort: Effort): Promise<Uint8Array> => {
  switch (coding) {
    case "br":
      return await brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: effort.br } })
    case "gzip":
      return await zip(text, { level: effort.gzip })
    case "identity":
      return Buffer.from(text)
  }
}
