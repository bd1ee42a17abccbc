/**
 * The request headers of tus 1.0.0.
 */
import { InvalidRequest } from "@holdfast/core/Errors"
import * as Effect from "effect/Effect"
import { algorithms, type Declared } from "../upload/BodyDigest.ts"
import type { RequestHeaders } from "./EntityTags.ts"

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decodeValue = (encoded: string): string | undefined => {
  if (!base64.test(encoded)) return undefined
  try {
    return utf8.decode(Buffer.from(encoded, "base64"))
  } catch {
    return undefined
  }
}

const malformed = (header: string, detail: string): InvalidRequest =>
  InvalidRequest.at("", `the header ${header} ${detail}`)

/**
 * Returns the pairs of `Upload-Metadata`: keys, and values in Base64 of UTF-8, separated by commas. A key without a value has an empty
 * one.
 */
export const metadata = (headers: RequestHeaders): Effect.Effect<ReadonlyMap<string, string>, InvalidRequest> => {
  const header = headers["upload-metadata"]
  const pairs = new Map<string, string>()
  if (header === undefined || header.trim() === "") return Effect.succeed(pairs)
  for (const pair of header.split(",")) {
    const [key = "", encoded = "", ...rest] = pair.trim().split(/ +/)
    const value = decodeValue(encoded)
    if (key === "" || value === undefined || rest.length > 0 || pairs.has(key)) {
      const detail = "must have pairs of different keys and values in Base64 of UTF-8, such as filename Y2F0LmpwZw=="
      return Effect.fail(malformed("Upload-Metadata", detail))
    }
    pairs.set(key, value)
  }
  return Effect.succeed(pairs)
}

/** Returns the number of bytes in a header; undefined when it is absent. */
export const bytes = (headers: RequestHeaders, name: string): Effect.Effect<number | undefined, InvalidRequest> => {
  const text = headers[name.toLowerCase()]
  if (text === undefined) return Effect.undefined
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number)
    ? Effect.succeed(number)
    : Effect.fail(malformed(name, "must be a whole number of bytes"))
}

/** Returns the length of a new upload; undefined when a later request declares it. */
export const creationLength = Effect.fnUntraced(function* (
  headers: RequestHeaders
): Effect.fn.Return<number | undefined, InvalidRequest> {
  const length = yield* bytes(headers, "Upload-Length")
  const deferred = headers["upload-defer-length"]
  if (deferred !== undefined && deferred !== "1") return yield* malformed("Upload-Defer-Length", "must be 1")
  if ((length === undefined) === (deferred === undefined)) {
    return yield* InvalidRequest.at("", "exactly one of the headers Upload-Length and Upload-Defer-Length is required")
  }
  return length
})

const isAlgorithm = (name: string): name is Declared["algorithm"] => algorithms.some((one) => one === name)

/** Returns the digest that `Upload-Checksum` declares for the body of the request; undefined without the header. */
export const checksum = (headers: RequestHeaders): Effect.Effect<Declared | undefined, InvalidRequest> => {
  const header = headers["upload-checksum"]
  if (header === undefined) return Effect.undefined
  const [algorithm = "", encoded = "", ...rest] = header.trim().split(/ +/)
  if (!isAlgorithm(algorithm)) {
    return Effect.fail(malformed("Upload-Checksum", `must have one of the algorithms ${algorithms.join(", ")}`))
  }
  return rest.length === 0 && encoded !== "" && base64.test(encoded)
    ? Effect.succeed({ algorithm, digest: Buffer.from(encoded, "base64") })
    : Effect.fail(malformed("Upload-Checksum", "must have an algorithm and a digest in Base64"))
}

/** What an upload is for others: a part of them, or their concatenation. */
export type Concat = "partial" | { readonly uploadIds: ReadonlyArray<string> }

/**
 * Returns the meaning of `Upload-Concat`; undefined without the header.
 *
 * @param directory The path of the uploads of the bucket, in which the partial uploads have to be.
 */
export const concat = (
  headers: RequestHeaders,
  directory: string
): Effect.Effect<Concat | undefined, InvalidRequest> => {
  const header = headers["upload-concat"]?.trim()
  if (header === undefined) return Effect.undefined
  if (header === "partial") return Effect.succeed("partial")
  const urls = header.startsWith("final;") ? header.slice("final;".length).trim().split(/ +/) : []
  const uploadIds = urls.flatMap((url) => {
    const path = URL.canParse(url, "http://localhost") ? new URL(url, "http://localhost").pathname : ""
    const at = path.lastIndexOf("/") + 1
    return at > 0 && path.slice(0, at).endsWith(`${directory}/`) ? [path.slice(at)] : []
  })
  return uploadIds.length > 0 && uploadIds.length === urls.length
    ? Effect.succeed({ uploadIds })
    : Effect.fail(malformed("Upload-Concat", "must be partial, or final; and the addresses of uploads of this bucket"))
}
