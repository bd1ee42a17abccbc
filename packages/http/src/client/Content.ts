/**
 * Contents that are to be uploaded, as callers have them and as `fetch` takes them.
 */
import { HoldfastError } from "./ClientError.ts"

/** A Node `Readable` is an async iterable; texts become UTF-8. Streams are read once, as fast as they are sent. */
export type Source =
  | string
  | Uint8Array<ArrayBuffer>
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

/** How much of a content has been sent. */
export interface Progress {
  /** Bytes of the content. By `fetch`, those that have been handed to the network. */
  readonly sent: number
  /** Bytes of the whole; undefined for streams. */
  readonly total: number | undefined
}

export type OnProgress = (progress: Progress) => void

/** The whole content, where it is at hand. `type` is its media type. */
export const toBlob = (source: Source, type: string | undefined): Blob | undefined => {
  if (source instanceof Blob) return type === undefined ? source : source.slice(0, source.size, type)
  const isWhole = typeof source === "string" || source instanceof Uint8Array || source instanceof ArrayBuffer
  return isWhole ? new Blob([source], { type: type ?? "" }) : undefined
}

/** The chunks of a content; what its source fails with is told from what the network fails with. */
async function* chunksOf(source: Blob | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source instanceof Blob ? source.stream() : source
  } catch (cause) {
    throw new HoldfastError("source_failed", "The content could not be read to its end.", {}, { cause })
  }
}

/** What has begun as a stream: its bytes, and why they ended, if they did. */
export interface Outgoing {
  readonly body: ReadableStream<Uint8Array>
  /** The error of the source, once it has failed. */
  readonly failure: () => HoldfastError | undefined
}

/** A content as the body of a request, between what comes before and after it. */
export const toStream = (
  source: Blob | AsyncIterable<Uint8Array>,
  onProgress: OnProgress | undefined,
  signal: AbortSignal | undefined,
  [before, after]: readonly [Uint8Array, Uint8Array] = [new Uint8Array(), new Uint8Array()]
): Outgoing => {
  const total = source instanceof Blob ? source.size : undefined
  let failure: HoldfastError | undefined

  async function* all(): AsyncGenerator<Uint8Array> {
    if (before.length > 0) yield before
    let sent = 0
    for await (const chunk of chunksOf(source)) {
      yield chunk
      sent += chunk.length
      onProgress?.({ sent, total })
    }
    if (after.length > 0) yield after
  }

  const chunks = all()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          // Node's fetch reads on to the end of a body whose call was aborted.
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
