/**
 * The body of a direct upload: `multipart/form-data` with a part `file` and a part `body` of JSON text, in either
 * order. The file's bytes are streamed: nothing is spooled, and no more than the body's text is held.
 *
 * The parser is Effect's low-level one, fed from `RequestBody`, which is as fast as searching the bytes for the
 * boundary. Its streams of parts are not used: they would hand out the end of the file before the form is known to be
 * complete.
 */
import { type Fault, InvalidRequest } from "@holdfast/core/Errors"
import { ContentTooLarge } from "@holdfast/core/files/FileErrors"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { FilePart } from "./FilePart.ts"
import * as RequestBody from "./RequestBody.ts"
import { UnsupportedMediaType } from "../TransferErrors.ts"
import * as UploadFormParser from "./UploadFormParser.ts"

export type UploadError = RequestBody.BodyError | InvalidRequest

export interface Upload {
  readonly file: FilePart & {
    /**
     * The file's bytes, to be run once. It ends only when the whole form has been read and found complete: a second
     * file, a malformed `body` or a missing last boundary make it fail, so that what was written can be thrown away.
     */
    readonly stream: Stream.Stream<Uint8Array, UploadError>
  }
  /** Whether `body` has come, before the file or close behind it, so that it can be checked before the file is read. */
  readonly isBodyKnown: boolean
  /**
   * The value of the part `body`, undefined when the form has none. Unless it is known, it waits for the end of the
   * file's stream, and fails as that does.
   */
  readonly body: Effect.Effect<unknown, UploadError>
}

const openForm = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<UploadFormParser.UploadFormParser, UnsupportedMediaType> => {
  const contentType = request.headers["content-type"] ?? ""
  return /^multipart\/form-data[ \t]*(?:;|$)/i.test(contentType)
    ? Effect.sync(() => UploadFormParser.make(contentType))
    : Effect.fail(new UnsupportedMediaType({ expected: "multipart/form-data" }))
}

type Bytes = ReadonlyArray<Uint8Array>

/** A form that is being read. */
interface Reading {
  /** The file's bytes among those that come next, possibly none; undefined when the form is complete. */
  readonly next: Effect.Effect<Bytes | undefined, UploadError>
  /** The value of the part `body`; it has it when the form is complete, and fails as `next` does. */
  readonly body: Deferred.Deferred<unknown, UploadError>
  /** Leaves the rest unread. */
  readonly stop: Effect.Effect<void>
}

const read = Effect.fnUntraced(function* (
  form: UploadFormParser.UploadFormParser,
  source: Stream.Stream<Uint8Array, RequestBody.BodyError>,
  limit: number
): Effect.fn.Return<Reading, never, Scope.Scope> {
  const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
  const pull = yield* Scope.provide(Stream.toPull(source), scope)
  const body = Deferred.makeUnsafe<unknown, UploadError>()
  yield* Scope.addFinalizer(scope, Deferred.interrupt(body))
  let size = 0

  const refuse = ({ detail, pointer }: Fault): Effect.Effect<never, InvalidRequest> =>
    Effect.fail(InvalidRequest.at(pointer, detail))

  const receive = (chunks: Bytes): Effect.Effect<Bytes, UploadError> => {
    let fault: Fault | undefined
    for (const chunk of chunks) fault ??= form.push(chunk)
    if (fault !== undefined) return refuse(fault)
    const bytes = form.takeFileBytes()
    for (const chunk of bytes) size += chunk.length
    return size > limit ? Effect.fail(new ContentTooLarge({ limit })) : Effect.succeed(bytes)
  }

  const end = Effect.suspend(() => {
    const fault = form.end()
    if (fault !== undefined) return refuse(fault)
    Deferred.doneUnsafe(body, Effect.succeed(form.body()?.value))
    return Effect.undefined
  })

  const stop = Scope.close(scope, Exit.void)
  const next = pull.pipe(
    Effect.flatMap(receive),
    Pull.catchDone(() => end),
    // The limit of the whole body is of no interest to anybody.
    Effect.mapError((error) => (error._tag === "ContentTooLarge" ? new ContentTooLarge({ limit }) : error)),
    Effect.tapError((error) => {
      Deferred.doneUnsafe(body, Effect.fail(error))
      return stop
    })
  )
  return { next, body, stop }
})

/** The file's bytes: those that have come already, then the rest of the form. */
const fileStream = ({ next, stop }: Reading, first: Bytes): Stream.Stream<Uint8Array, UploadError> => {
  let ready: Bytes | undefined = first
  const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, UploadError> = Effect.suspend(() => {
    const bytes = ready
    if (bytes === undefined) return Cause.done()
    ready = []
    if (Arr.isReadonlyArrayNonEmpty(bytes)) return Effect.succeed(bytes)
    return Effect.flatMap(next, (bytes) => {
      ready = bytes
      return pull
    })
  })
  return Stream.fromChannel(Channel.fromTransform((_, scope) => Effect.as(Scope.addFinalizer(scope, stop), pull)))
}

/**
 * Reads a form up to the beginning of its file.
 *
 * Fails with `ContentTooLarge` before anything is read when the announced length cannot fit, and as `RequestBody.open`
 * does; with `UnsupportedMediaType` for another kind of body; with `InvalidRequest` for a malformed form, one without a
 * file, and a `body` that came first and is no JSON. What is held ends with the scope.
 *
 * @param options.limit Bytes of the file.
 */
export const parse = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  options: RequestBody.Options
): Effect.fn.Return<Upload, UploadError | UnsupportedMediaType, Scope.Scope> {
  const { limit } = options
  const form = yield* openForm(request)
  const source = yield* RequestBody.open(request, { ...options, limit: limit + UploadFormParser.maxOverhead }).pipe(
    Effect.mapError(() => new ContentTooLarge({ limit }))
  )
  const reading = yield* read(form, source, limit)
  let first: Bytes | undefined = []
  let head = form.file()
  while (head === undefined && first !== undefined) {
    first = yield* reading.next
    head = form.file()
  }
  if (head === undefined) return yield* InvalidRequest.at("/file", "is required")
  const known = form.body()
  return {
    file: { ...head, stream: fileStream(reading, first ?? []) },
    isBodyKnown: known !== undefined,
    body: known === undefined ? Deferred.await(reading.body) : Effect.succeed(known.value)
  }
})
