/**
 * Contents as callers have them: text, bytes, blobs, web streams, Node streams, anything that yields bytes.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvalidRequest } from "../Errors.ts"
import { SourceFailed } from "./PromiseApiErrors.ts"

/**
 * What can be uploaded. A Node `Readable` is an async iterable; texts become UTF-8. Streams are read once, as fast as
 * the bytes can be stored.
 */
export type Source =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

const encoder = new TextEncoder()

const failed = (cause: unknown) => new SourceFailed({ cause })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const notBytes = (chunk: unknown) => failed(new TypeError(`expected bytes or text, got ${typeof chunk}`))

const toBytes = (chunk: unknown): Effect.Effect<Uint8Array, SourceFailed> =>
  chunk instanceof Uint8Array
    ? Effect.succeed(chunk)
    : typeof chunk === "string"
      ? Effect.succeed(encoder.encode(chunk))
      : Effect.fail(notBytes(chunk))

/** The source as a stream; `InvalidRequest` at `/content` for a value that is none. */
export const toStream = (source: unknown): Effect.Effect<Stream.Stream<Uint8Array, SourceFailed>, InvalidRequest> => {
  if (typeof source === "string") return Effect.succeed(Stream.make(encoder.encode(source)))
  if (source instanceof Uint8Array) return Effect.succeed(Stream.make(source))
  if (source instanceof ArrayBuffer) return Effect.succeed(Stream.make(new Uint8Array(source)))
  if (source instanceof Blob) return Effect.succeed(fromWeb(() => source.stream()))
  if (source instanceof ReadableStream) {
    return source.locked
      ? Effect.fail(InvalidRequest.at("/content", "is a stream that somebody reads already"))
      : Effect.succeed(fromWeb(() => source))
  }
  if (isObject(source) && Symbol.asyncIterator in source) {
    return Effect.succeed(Stream.mapEffect(Stream.fromAsyncIterable(source as AsyncIterable<unknown>, failed), toBytes))
  }
  if (isObject(source) && Symbol.iterator in source) {
    return Effect.succeed(
      Stream.mapEffect(Stream.fromAsyncIterable(asynchronous(source as Iterable<unknown>), failed), toBytes)
    )
  }
  return Effect.fail(InvalidRequest.at("/content", "must be text, bytes, a Blob or a stream of bytes"))
}

const fromWeb = (evaluate: () => ReadableStream<unknown>) =>
  Stream.mapEffect(Stream.fromReadableStream({ evaluate, onError: failed }), toBytes)

/** Also an iterable that throws is a source that fails. */
async function* asynchronous(source: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* source
}

/** The length that a source is known to have, in bytes; undefined for streams. */
export const lengthOf = (source: unknown): number | undefined =>
  source instanceof Uint8Array || source instanceof ArrayBuffer
    ? source.byteLength
    : source instanceof Blob
      ? source.size
      : undefined
