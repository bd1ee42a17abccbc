/**
 * Contents to upload, in the forms that programs have them: strings, bytes, blobs, web streams, Node streams, iterables.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvalidRequest } from "../../../Errors.ts"
import { SourceFailed } from "../PromiseApiErrors.ts"

/**
 * A content to upload. A Node `Readable` is an async iterable; a string is encoded as UTF-8. A stream or an iterable is
 * read once, no faster than its bytes are stored or sent.
 */
export type ContentSource =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

const encoder = new TextEncoder()

const toSourceFailed = (cause: unknown) => new SourceFailed({ cause })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const toBytes = (chunk: unknown): Effect.Effect<Uint8Array, SourceFailed> =>
  chunk instanceof Uint8Array
    ? Effect.succeed(chunk)
    : typeof chunk === "string"
      ? Effect.succeed(encoder.encode(chunk))
      : Effect.fail(toSourceFailed(new TypeError(`expected bytes or a string, got ${typeof chunk}`)))

/**
 * Returns a source's bytes as a stream, which fails with `SourceFailed` when the source does. Fails with `InvalidRequest` at
 * `/content` for a value that is no `ContentSource`.
 */
export const toStream = (source: unknown): Effect.Effect<Stream.Stream<Uint8Array, SourceFailed>, InvalidRequest> => {
  if (typeof source === "string") return Effect.succeed(Stream.make(encoder.encode(source)))
  if (source instanceof Uint8Array) return Effect.succeed(Stream.make(source))
  if (source instanceof ArrayBuffer) return Effect.succeed(Stream.make(new Uint8Array(source)))
  if (source instanceof Blob) return Effect.succeed(fromWebStream(() => source.stream()))
  if (source instanceof ReadableStream) {
    return source.locked
      ? Effect.fail(InvalidRequest.at("/content", "is a stream that already has a reader"))
      : Effect.succeed(fromWebStream(() => source))
  }
  if (isObject(source) && Symbol.asyncIterator in source) {
    return Effect.succeed(fromIterable(source as AsyncIterable<unknown>))
  }
  if (isObject(source) && Symbol.iterator in source) {
    return Effect.succeed(fromIterable(toAsync(source as Iterable<unknown>)))
  }
  return Effect.fail(InvalidRequest.at("/content", "must be a string, bytes, a Blob or a stream of bytes"))
}

const fromWebStream = (evaluate: () => ReadableStream<unknown>) =>
  Stream.mapEffect(Stream.fromReadableStream({ evaluate, onError: toSourceFailed }), toBytes)

const fromIterable = (source: AsyncIterable<unknown>) =>
  Stream.mapEffect(Stream.fromAsyncIterable(source, toSourceFailed), toBytes)

/** Makes an iterable asynchronous, so that an iterable that throws is a `SourceFailed`, too. */
async function* toAsync(source: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* source
}

/** Returns the length of a source in bytes where the source has one; undefined for strings, streams and iterables. */
export const knownLength = (source: unknown): number | undefined =>
  source instanceof Uint8Array || source instanceof ArrayBuffer
    ? source.byteLength
    : source instanceof Blob
      ? source.size
      : undefined
