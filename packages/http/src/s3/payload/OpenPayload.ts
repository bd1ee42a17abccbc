/**
 * Opens the content of a request: decodes it, and checks it while it is read.
 */
import { Settings } from "@holdfast/core/Settings"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { IdleTimeout } from "../../handlers/support/IdleTimeout.ts"
import { MinimumRate } from "../../transfer/MinimumRate.ts"
import * as BodyTurns from "../../incoming/BodyTurns.ts"
import * as CollectedBodies from "../../incoming/CollectedBodies.ts"
import * as JoinChunks from "../../transfer/upload/JoinChunks.ts"
import * as RequestBody from "../../transfer/upload/RequestBody.ts"
import { S3Error } from "../S3Error.ts"
import type { SignatureSeed } from "../signature/VerifySignature.ts"
import * as ParseDocument from "../xml/ParseDocument.ts"
import type * as XmlReader from "@holdfast/outbound/XmlReader"
import * as Checksums from "./Checksums.ts"
import * as ChunkDecoder from "./ChunkDecoder.ts"
import type { Payload, PayloadError } from "./Payload.ts"

/** What authentication knows of the body. */
export interface SignedBody {
  /** The digest of the payload, or the name of the way in which it is signed. */
  readonly payloadHash: string
  readonly seed: SignatureSeed
  /** The tenant of the key. Tenants take turns when many bodies are decoded and hashed. */
  readonly tenantId: string
  /** Whether a checksum in the headers is that of an object, not of the body: in the completion of a multipart upload. */
  readonly hasObjectChecksum?: boolean | undefined
}

/** The most bytes that are hashed before other requests have their turn: SHA-256, MD5 and a CRC of them take a millisecond. */
const hashedBytes = 256 * 1024
/** The same for a body with signed chunks, of which 64 KiB have eight at most: half a millisecond. */
const decodedBytes = 64 * 1024
/** The calls for a slice take as long as so many bytes. A body may arrive in tiny chunks. */
const callBytes = 512

type Encoding = { readonly isSigned: boolean; readonly hasTrailers: boolean }

/** The bodies that are sent in chunks, by the value of `x-amz-content-sha256`. */
const encodings: ReadonlyMap<string, Encoding> = new Map([
  ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD", { isSigned: true, hasTrailers: false }],
  ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", { isSigned: true, hasTrailers: true }],
  ["STREAMING-UNSIGNED-PAYLOAD-TRAILER", { isSigned: false, hasTrailers: true }]
])

const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

const decodedLength = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined

/** Makes the functions that open the content of a request, and that read it as a document. */
export const make = Effect.gen(function* () {
  const { maxUploadBytes } = yield* Settings
  const idleTimeout = yield* IdleTimeout
  const minimumRate = yield* MinimumRate
  const parse = yield* ParseDocument.make

  const open = Effect.fnUntraced(function* (
    request: HttpServerRequest,
    { hasObjectChecksum = false, payloadHash, seed, tenantId }: SignedBody,
    limit: number
  ): Effect.fn.Return<Payload, PayloadError> {
    const { headers } = request
    const encoding = encodings.get(payloadHash)
    if (encoding === undefined && payloadHash !== "UNSIGNED-PAYLOAD" && !isDigest(payloadHash)) {
      return yield* S3Error.of(
        "InvalidArgument",
        "x-amz-content-sha256 must be a SHA-256 in hexadecimal, UNSIGNED-PAYLOAD or a STREAMING value that this server supports."
      )
    }
    const declared = yield* Effect.fromResult(
      Checksums.fromHeaders(hasObjectChecksum ? { "content-md5": headers["content-md5"] } : headers)
    )
    const length =
      encoding === undefined
        ? RequestBody.declaredLength(request)
        : decodedLength(headers["x-amz-decoded-content-length"])
    const isChunked = encoding === undefined && headers["transfer-encoding"] !== undefined
    if (length === undefined && !isChunked) return yield* S3Error.of("MissingContentLength")
    if (length !== undefined && length > limit) return yield* S3Error.of("EntityTooLarge")
    if (declared.trailer !== undefined && encoding?.hasTrailers !== true) {
      return yield* S3Error.of("InvalidRequest", "The header x-amz-trailer needs a body that is sent with trailers.")
    }
    // The decoder bounds what is not content: to chunks of a least size with short lines, and a few trailers.
    const maxBytes = encoding === undefined ? limit : Number.POSITIVE_INFINITY
    const reader = yield* RequestBody.reader(request, { limit: maxBytes, idleTimeout, minimumRate })
    const decoder =
      encoding === undefined
        ? undefined
        : ChunkDecoder.make({ seed: encoding.isSigned ? seed : undefined, hasTrailers: encoding.hasTrailers })

    const md5 = createHash("md5")
    const algorithm = declared.checksum?.algorithm ?? declared.trailer
    const checksum = algorithm === undefined ? undefined : Checksums.make(algorithm)
    const sha256 = isDigest(payloadHash) ? createHash("sha256") : undefined
    let received = 0
    let md5OfContent = ""
    let verified: ReturnType<Payload["checksum"]>

    const take = (chunk: Uint8Array): void => {
      received += chunk.length
      md5.update(chunk)
      checksum?.update(chunk)
      sha256?.update(chunk)
    }

    /** Checks the whole content. */
    const end = (): Effect.Effect<never, PayloadError | Cause.Done> => {
      const fault = decoder?.end()
      if (fault !== undefined) return Effect.fail(fault)
      if (length !== undefined && received !== length) return Effect.fail(S3Error.of("IncompleteBody"))
      if (sha256 !== undefined && sha256.digest("hex") !== payloadHash) {
        return Effect.fail(S3Error.of("XAmzContentSHA256Mismatch"))
      }
      md5OfContent = md5.digest("hex")
      if (declared.md5 !== undefined && declared.md5 !== md5OfContent) return Effect.fail(S3Error.of("BadDigest"))
      if (algorithm !== undefined && checksum !== undefined) {
        const value = declared.checksum?.value ?? decoder?.trailers.get(Checksums.headerOf(algorithm))
        if (value === undefined) return Effect.fail(S3Error.of("InvalidRequest", "The declared trailer is missing."))
        if (!Checksums.isValid({ algorithm, value })) {
          return Effect.fail(S3Error.of("InvalidRequest", "The trailer is not a valid checksum."))
        }
        if (checksum.digest().toString("base64") !== value) return Effect.fail(S3Error.of("BadDigest"))
        verified = { algorithm, value }
      }
      return Cause.done()
    }

    /** Decodes and hashes the next bytes of the body. Adds the parts of the content to `parts` where the body is encoded. */
    const takeSlice = (slice: Uint8Array, parts: Array<Uint8Array>): S3Error | undefined => {
      if (decoder === undefined) take(slice)
      else {
        const decoded = decoder.push(slice)
        if (decoded instanceof S3Error) return decoded
        for (const part of decoded) {
          take(part)
          parts.push(part)
        }
      }
      return length !== undefined && received > length ? S3Error.of("IncompleteBody") : undefined
    }

    const sliceBytes = decoder === undefined ? hashedBytes : decodedBytes
    /** Bytes since this body last waited for its turn. */
    let taken = 0

    /** Returns the parts of the content in chunks of the body. */
    const decode = Effect.fnUntraced(function* (
      chunks: ReadonlyArray<Uint8Array>
    ): Effect.fn.Return<ReadonlyArray<Uint8Array>, S3Error> {
      const parts: Array<Uint8Array> = []
      for (const chunk of chunks) {
        for (let at = 0; at < chunk.length; at += sliceBytes) {
          const slice = chunk.length <= sliceBytes ? chunk : chunk.subarray(at, at + sliceBytes)
          if (taken + slice.length > sliceBytes) {
            taken = 0
            yield* BodyTurns.wait(tenantId)
          }
          taken += slice.length + callBytes
          const error = takeSlice(slice, parts)
          if (error !== undefined) return yield* error
        }
        // Whole: a store that releases the memory of a slice would release that of the others.
        if (decoder === undefined) parts.push(chunk)
      }
      return JoinChunks.joinSmall(parts)
    })

    const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, PayloadError | Cause.Done> = Effect.suspend(() =>
      Effect.matchEffect(reader.pull, {
        onFailure: (error) => (Cause.isDone(error) ? end() : Effect.fail(error)),
        onSuccess: (chunks) => Effect.filterOrElse(decode(chunks), Arr.isReadonlyArrayNonEmpty, () => pull)
      })
    )

    const content = Stream.fromChannel(
      Channel.fromTransform((_, scope) => Effect.as(Scope.addFinalizer(scope, Effect.sync(reader.stop)), pull))
    )
    return { content, length, md5: () => md5OfContent, checksum: () => verified }
  })

  const readXml = Effect.fnUntraced(function* (
    request: HttpServerRequest,
    signed: SignedBody,
    limits: XmlReader.Limits
  ) {
    const { content } = yield* open(request, signed, limits.maxBytes).pipe(
      Effect.catchTag("S3Error", (error) =>
        Effect.fail(error.code === "EntityTooLarge" ? S3Error.of("MaxMessageLengthExceeded") : error)
      )
    )
    CollectedBodies.add(request)
    const chunks = yield* Stream.runCollect(content)
    const root = yield* parse(Buffer.concat(chunks), limits, signed.tenantId)
    return root ?? (yield* S3Error.of("MalformedXML"))
  })

  return {
    open: (request: HttpServerRequest, signed: SignedBody) => open(request, signed, maxUploadBytes),
    readXml
  }
})
