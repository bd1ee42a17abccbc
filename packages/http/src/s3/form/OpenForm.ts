/**
 * Opens the form of an upload from a browser: reads its fields, and leaves the file as a stream.
 */
import { Settings } from "@holdfast/core/Settings"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { IdleTimeout } from "../../handlers/support/IdleTimeout.ts"
import type { FilePart } from "../../transfer/upload/FilePart.ts"
import { MinimumRate } from "../../transfer/MinimumRate.ts"
import * as RequestBody from "../../transfer/upload/RequestBody.ts"
import type { PayloadError } from "../payload/Payload.ts"
import { S3Error } from "../S3Error.ts"
import * as FormParser from "./FormParser.ts"

export interface OpenForm {
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>
  readonly file: FilePart
  /** The bytes of the file, which can be read once. The stream ends only after the whole form was read and found complete. */
  readonly content: Stream.Stream<Uint8Array, PayloadError>
}

type Bytes = ReadonlyArray<Uint8Array>

/** Makes the function that opens a form. The scope holds the body: closing it stops the reading. */
export const make = Effect.gen(function* () {
  const { maxUploadBytes } = yield* Settings
  const idleTimeout = yield* IdleTimeout
  const minimumRate = yield* MinimumRate

  return Effect.fnUntraced(function* (
    request: HttpServerRequest
  ): Effect.fn.Return<OpenForm, PayloadError, Scope.Scope> {
    const limit = maxUploadBytes + FormParser.maxOverhead
    const reader = yield* RequestBody.reader(request, { limit, idleTimeout, minimumRate })
    const stop = Effect.sync(reader.stop)
    yield* Scope.addFinalizer(yield* Effect.scope, stop)
    const parser = FormParser.make(request.headers["content-type"] ?? "")

    const receive = (chunks: Bytes): Effect.Effect<Bytes, S3Error> => {
      let fault: S3Error | undefined
      for (const chunk of chunks) fault ??= parser.push(chunk)
      return fault === undefined ? Effect.succeed(parser.takeFileBytes()) : Effect.fail(fault)
    }
    const end = Effect.suspend(() => {
      const fault = parser.end()
      return fault === undefined ? Effect.undefined : Effect.fail(fault)
    })
    /** The bytes of the file among the next chunks, possibly none; undefined when the form is complete. */
    const next: Effect.Effect<Bytes | undefined, PayloadError> = reader.pull.pipe(
      Effect.flatMap(receive),
      Pull.catchDone(() => end)
    )

    let ready: Bytes | undefined = []
    let file = parser.file()
    while (file === undefined && ready !== undefined) {
      ready = yield* next
      file = parser.file()
    }
    if (file === undefined) return yield* S3Error.of("IncorrectNumberOfFilesInPostRequest")

    const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, PayloadError> = Effect.suspend(() => {
      const bytes = ready
      if (bytes === undefined) return Cause.done()
      ready = []
      if (Arr.isReadonlyArrayNonEmpty(bytes)) return Effect.succeed(bytes)
      return Effect.flatMap(next, (bytes) => {
        ready = bytes
        return pull
      })
    })
    const content = Stream.fromChannel(
      Channel.fromTransform((_, scope) => Effect.as(Scope.addFinalizer(scope, stop), pull))
    )
    return { fields: parser.fields, file, content }
  })
})
