/**
 * Reads the body of an upload: `multipart/form-data` with a part `file` and a part `body` of JSON text, in either order.
 * The file's bytes are streamed: nothing is written to a temporary file, and only the JSON text is held in memory.
 *
 * `UploadFormParser` parses, on top of Effect's low-level parser, which is as fast as a search of the bytes for the
 * boundary. Effect's streams of parts are not used: such a stream ends with the file, when the form may still turn out to
 * be incomplete.
 */
import { type Fault, InvalidRequest } from "@holdfast/core/Errors"
import { ContentTooLarge } from "@holdfast/core/files/FileErrors"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { UnsupportedMediaType } from "../TransferErrors.ts"
import type * as BodyReader from "./BodyReader.ts"
import type { FilePart } from "./FilePart.ts"
import * as FormReader from "./FormReader.ts"
import * as RequestBody from "./RequestBody.ts"
import * as UploadFormParser from "./UploadFormParser.ts"

export type UploadError = RequestBody.BodyError | InvalidRequest

export interface Upload {
  readonly file: FilePart & {
    /**
     * The file's bytes. It can be run once. It ends only after the whole form was read and found complete: it fails on a
     * second file, a malformed `body` or a missing last boundary, so that the store discards what it has written.
     */
    readonly stream: Stream.Stream<Uint8Array, UploadError>
  }
  /** Whether the part `body` precedes the file, so that it can be validated before the file is read. */
  readonly isBodyKnown: boolean
  /**
   * The value of the part `body`, undefined when the form has none. If it does not precede the file, the effect waits for the end
   * of the file's stream, and fails when that stream fails.
   */
  readonly body: Effect.Effect<unknown, UploadError>
}

const openForm = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<UploadFormParser.UploadFormParser, UnsupportedMediaType> => {
  const contentType = request.headers["content-type"] ?? ""
  return RequestBody.isForm(request)
    ? Effect.sync(() => UploadFormParser.make(contentType))
    : Effect.fail(new UnsupportedMediaType({ expected: "multipart/form-data" }))
}

/** The request's body, bounded to a file of the limit and the rest of the form. The errors report the file's limit. */
const openBody = (
  request: HttpServerRequest.HttpServerRequest,
  options: RequestBody.Options
): Effect.Effect<BodyReader.Reader, ContentTooLarge> => {
  const tooLarge = () => new ContentTooLarge({ limit: options.limit })
  return RequestBody.reader(request, { ...options, limit: options.limit + UploadFormParser.maxOverhead }).pipe(
    Effect.mapBoth({
      onFailure: tooLarge,
      onSuccess: ({ pull, stop }) => ({
        pull: Effect.mapError(pull, (error) => (error._tag === "ContentTooLarge" ? tooLarge() : error)),
        stop
      })
    })
  )
}

const refuse = ({ detail, pointer }: Fault): Effect.Effect<never, InvalidRequest> =>
  Effect.fail(InvalidRequest.at(pointer, detail))

/**
 * Reads a form up to the beginning of its file. The scope holds the body: closing it stops the reading.
 *
 * Fails with
 *
 * - `ContentTooLarge`, before anything is read, when the declared length cannot fit;
 * - `UnsupportedMediaType` for any body that is not `multipart/form-data`;
 * - `InvalidRequest` for a malformed form, one without a file, or a `body` before the file that is not JSON;
 * - the errors of `RequestBody.open`.
 *
 * @param options.limit The largest file, in bytes. It bounds the body as it comes in, with an allowance for the rest of the
 * form; the store's `ContentGuard` holds the file itself to it.
 */
export const parse = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  options: RequestBody.Options
): Effect.fn.Return<Upload, UploadError | UnsupportedMediaType, Scope.Scope> {
  const form = yield* openForm(request)
  const source = yield* openBody(request, options)
  // Completed when the form is complete; fails when the reading of the form fails.
  const body = Deferred.makeUnsafe<unknown, UploadError>()
  const stop = Effect.andThen(Effect.sync(source.stop), Deferred.interrupt(body))
  yield* Scope.addFinalizer(yield* Effect.scope, stop)
  const next = FormReader.next(form, source.pull, refuse, () => {
    Deferred.doneUnsafe(body, Effect.succeed(form.body()?.value))
  }).pipe(
    Effect.tapError((error) => {
      Deferred.doneUnsafe(body, Effect.fail(error))
      return stop
    })
  )
  const file = yield* FormReader.openFile(form, next, stop)
  if (file === undefined) return yield* InvalidRequest.at("/file", "is required")
  const known = form.bodyBeforeFile()
  return {
    file: { ...file.part, stream: file.stream },
    isBodyKnown: known !== undefined,
    body: known === undefined ? Deferred.await(body) : Effect.succeed(known.value)
  }
})
