/**
 * Contents to upload, in the forms that `fetch` sends.
 */
import type { ContentSource } from "@holdfast/core"
import { HoldfastError } from "../HoldfastError.ts"

/** How much of a content has been sent. */
export interface Progress {
  /** Bytes of the content. With `fetch`, those that the network stack has taken. */
  readonly sent: number
  /** Bytes of the whole content; undefined for a stream without `length`. */
  readonly total: number | undefined
}

export type OnProgress = (progress: Progress) => void

/** Copies bytes in shared memory, which `Blob` refuses. */
const toBlobPart = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)

/** Returns the content as a `Blob` of the media type `type`; undefined for a stream or an iterable. */
export const toBlob = (source: ContentSource, type: string | undefined): Blob | undefined => {
  if (source instanceof Blob) return type === undefined ? source : source.slice(0, source.size, type)
  const options = { type: type ?? "" }
  if (source instanceof Uint8Array) return new Blob([toBlobPart(source)], options)
  return typeof source === "string" || source instanceof ArrayBuffer ? new Blob([source], options) : undefined
}

/** A content that is not sent whole. */
export type ChunkSource = Blob | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

const encoder = new TextEncoder()

const toBytes = (chunk: Uint8Array | string): Uint8Array => {
  if (typeof chunk === "string") return encoder.encode(chunk)
  if (chunk instanceof Uint8Array) return chunk
  throw new TypeError(`expected bytes or a string, got ${typeof chunk}`)
}

/** Yields the chunks of a content. Wraps errors of its source, which `fetch` would report as network errors. */
async function* readChunks(source: ChunkSource): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source instanceof Blob ? source.stream() : source) yield toBytes(chunk)
  } catch (cause) {
    throw new HoldfastError("source_failed", "The content could not be read to its end.", {}, { cause })
  }
}

/** Throws `length_mismatch` unless a content has the length that was declared. */
export const checkLength = (size: number, length: number | undefined): void => {
  if (length !== undefined && size !== length) {
    throw new HoldfastError("length_mismatch", `The content does not have the ${length} bytes that were declared.`)
  }
}

interface StreamOptions {
  /** The declared length of the content, in bytes. */
  readonly length: number | undefined
  readonly onProgress: OnProgress | undefined
  readonly signal: AbortSignal | undefined
  /** Bytes to send before and after the content. */
  readonly around?: readonly [Uint8Array, Uint8Array] | undefined
}

/** A request body that is sent as a stream. */
interface OutgoingStream {
  readonly body: ReadableStream<Uint8Array>
  /** Returns the error of the content, once it has failed. */
  readonly failure: () => HoldfastError | undefined
}

/** Returns a content as a request body that is read no faster than it is sent. */
export const toStream = (
  source: ChunkSource,
  { around: [before, after] = [new Uint8Array(), new Uint8Array()], length, onProgress, signal }: StreamOptions
): OutgoingStream => {
  const total = source instanceof Blob ? source.size : length
  let failure: HoldfastError | undefined

  async function* readAll(): AsyncGenerator<Uint8Array> {
    if (before.length > 0) yield before
    let sent = 0
    for await (const chunk of readChunks(source)) {
      sent += chunk.length
      if (length !== undefined && sent > length) break
      yield chunk
      onProgress?.({ sent, total })
    }
    checkLength(sent, length)
    if (after.length > 0) yield after
  }

  const chunks = readAll()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          // After an abort, Node's fetch goes on to read a body to its end.
          if (signal?.aborted === true) {
            controller.error(signal.reason)
            return void (await chunks.return(undefined))
          }
          const { done, value } = await chunks.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          failure = error instanceof HoldfastError ? error : undefined
          controller.error(error)
        }
      },
      cancel: async () => void (await chunks.return(undefined))
    },
    { highWaterMark: 0 }
  )
  return { body, failure: () => failure }
}
