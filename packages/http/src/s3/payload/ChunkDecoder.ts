/**
 * Decodes bodies that are sent as `aws-chunked`: chunks with their sizes, each with a signature or none, and trailers.
 *
 *     400;chunk-signature=…\r\n<1,024 bytes>\r\n0;chunk-signature=…\r\nx-amz-checksum-crc32:…\r\n\r\n
 *
 * Source: "Signature calculations for the authorization header: transferring payload in multiple chunks" of the Amazon S3 API
 * reference.
 */
import { createHash, hash, timingSafeEqual } from "node:crypto"
import { S3Error, table } from "../S3Error.ts"
import * as SigningKeys from "../signature/SigningKeys.ts"
import type { SignatureSeed } from "../signature/VerifySignature.ts"

export interface Options {
  /** What the signatures of the chunks continue from; undefined for chunks without signatures. */
  readonly seed: SignatureSeed | undefined
  /** Whether trailers follow the last chunk. */
  readonly hasTrailers: boolean
}

export interface ChunkDecoder {
  /** Decodes the next bytes of the body into parts of the content. Returns an error for a malformed body, or one of small chunks. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<Uint8Array> | S3Error
  /** Returns the error of a body that ends too early; undefined for a complete one. */
  readonly end: () => S3Error | undefined
  /** The trailers by lower-case name. Valid after the end. */
  readonly trailers: ReadonlyMap<string, string>
}

/** The least bytes of each chunk but the last one, as in Amazon S3: a signature costs as much as some 8 KiB of content. */
const minChunkBytes = 8 * 1024
/** The longest line: a size with a signature, or a trailer. */
const maxLine = 1024
/** The most trailers. */
const maxTrailers = 8

const emptyHash = hash("sha256", "", "hex")
const newline = 10

const malformed = S3Error.of("IncompleteBody", "The chunks of the body are not valid (aws-chunked).")
const unsigned = S3Error.of(
  "SignatureDoesNotMatch",
  "The signature of a chunk is not the one that the server computes."
)

/** @param chunk The number of the chunk that follows the small one, as Amazon S3 counts. */
const tooSmall = (chunk: number, size: number): S3Error =>
  new S3Error({
    code: "InvalidChunkSizeError",
    message: table.InvalidChunkSizeError.message,
    fields: { Chunk: String(chunk), BadChunkSize: String(size) }
  })

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one, "latin1"), Buffer.from(other, "latin1"))

/** What the decoder reads next. */
type State = "size" | "data" | "data end" | "trailer" | "end"

export const make = ({ hasTrailers, seed }: Options): ChunkDecoder => {
  let state: State = "size"
  let line = ""
  let missing = 0
  /** Chunks so far, without the empty one at the end. */
  let chunks = 0
  /** Bytes of the chunk before the next one; before the first one, as many as it must have. */
  let size = minChunkBytes
  let signature = seed?.signature ?? ""
  let stated = ""
  let digest = createHash("sha256")
  const trailers = new Map<string, string>()
  let canonicalTrailers = ""
  let trailerSignature: string | undefined

  const sign = (name: string, ...digests: ReadonlyArray<string>): string =>
    seed === undefined
      ? ""
      : SigningKeys.sign(
          seed.key,
          [`AWS4-HMAC-SHA256-${name}`, seed.timestamp, seed.scope, signature, ...digests].join("\n")
        )

  /** Checks the signature of the chunk that has ended. */
  const endChunk = (): S3Error | undefined => {
    if (seed === undefined) return undefined
    const computed = sign("PAYLOAD", emptyHash, digest.digest("hex"))
    digest = createHash("sha256")
    if (!isSame(computed, stated)) return unsigned
    signature = computed
    return undefined
  }

  const readSize = (text: string): S3Error | undefined => {
    const match = /^([0-9a-fA-F]{1,13})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(text)
    if (match === null || (match[2] === undefined) !== (seed === undefined)) return malformed
    missing = Number.parseInt(match[1] ?? "", 16)
    stated = match[2] ?? ""
    if (missing > 0) {
      chunks++
      // Before the signature of this chunk is computed: only the small chunk itself was.
      if (size < minChunkBytes) return tooSmall(chunks, size)
      size = missing
      state = "data"
      return undefined
    }
    state = hasTrailers ? "trailer" : "data end"
    return endChunk()
  }

  const readTrailer = (text: string): S3Error | undefined => {
    if (text === "") {
      state = "end"
      if (seed === undefined) return undefined
      const computed = sign("TRAILER", hash("sha256", canonicalTrailers, "hex"))
      return trailerSignature !== undefined && isSame(computed, trailerSignature) ? undefined : unsigned
    }
    const at = text.indexOf(":")
    if (at <= 0 || trailers.size >= maxTrailers) return malformed
    const [name, value] = [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()]
    // Without this, trailers of one name would be as many as the body has room for.
    if (name === "x-amz-trailer-signature" ? trailerSignature !== undefined : trailers.has(name)) return malformed
    if (name === "x-amz-trailer-signature") trailerSignature = value
    else {
      trailers.set(name, value)
      canonicalTrailers += `${name}:${value}\n`
    }
    return undefined
  }

  /** Handles a line without its end. */
  const readLine = (text: string): S3Error | undefined => {
    if (state === "size") return readSize(text)
    if (state === "trailer") return readTrailer(text)
    // The empty line after the bytes of a chunk, or after the last chunk.
    if (text !== "") return malformed
    state = stateAfterData
    return undefined
  }
  let stateAfterData: State = "size"

  const push = (bytes: Uint8Array): ReadonlyArray<Uint8Array> | S3Error => {
    const found: Array<Uint8Array> = []
    let at = 0
    while (at < bytes.length) {
      if (state === "end") return malformed
      if (state === "data") {
        const part = bytes.subarray(at, at + missing)
        if (seed !== undefined) digest.update(part)
        found.push(part)
        at += part.length
        missing -= part.length
        if (missing === 0) {
          const error = endChunk()
          if (error !== undefined) return error
          state = "data end"
        }
        continue
      }
      const end = bytes.indexOf(newline, at)
      const stop = end < 0 ? bytes.length : end
      if (line.length + stop - at > maxLine) return malformed
      line += Buffer.from(bytes.buffer, bytes.byteOffset + at, stop - at).toString("latin1")
      at = stop + 1
      if (end < 0) break
      if (!line.endsWith("\r")) {
        // Some clients end trailers with a newline alone.
        if (state !== "trailer") return malformed
      } else line = line.slice(0, -1)
      const isLast = state === "size" && /^0+(?:;|$)/.test(line)
      const error = readLine(line)
      if (error !== undefined) return error
      if (isLast) stateAfterData = "end"
      line = ""
    }
    return found
  }

  return {
    push,
    end: () => (state === "end" ? undefined : malformed),
    trailers
  }
}
