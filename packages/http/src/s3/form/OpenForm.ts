/**
 * Opens the form of an upload from a browser: reads its fields, and leaves the file as a stream.
 */
import { Settings } from "@holdfast/core/Settings"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { IdleTimeout } from "../../handlers/support/IdleTimeout.ts"
import type { FilePart } from "../../transfer/upload/FilePart.ts"
import * as FormReader from "../../transfer/upload/FormReader.ts"
import { MinimumRate } from "../../transfer/MinimumRate.ts"
import * as RequestBody from "../../transfer/upload/RequestBody.ts"
import type { PayloadError } from "../payload/Payload.ts"
import { S3Error } from "../S3Error.ts"
import * as PostFormParser from "./PostFormParser.ts"

export interface OpenForm {
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>
  readonly file: FilePart
  /** The bytes of the file, which can be read once. The stream ends only after the whole form was read and found complete. */
  readonly content: Stream.Stream<Uint8Array, PayloadError>
}

/** Makes the function that opens a form. The scope holds the body: closing it stops the reading. */
export const make = Effect.gen(function* () {
  const { maxUploadBytes } = yield* Settings
  const idleTimeout = yield* IdleTimeout
  const minimumRate = yield* MinimumRate

  return Effect.fnUntraced(function* (
    request: HttpServerRequest
  ): Effect.fn.Return<OpenForm, PayloadError, Scope.Scope> {
    const limit = maxUploadBytes + PostFormParser.maxOverhead
    const reader = yield* RequestBody.reader(request, { limit, idleTimeout, minimumRate })
    const stop = Effect.sync(reader.stop)
    yield* Scope.addFinalizer(yield* Effect.scope, stop)
    const parser = PostFormParser.make(request.headers["content-type"] ?? "")
    const file = yield* FormReader.openFile(parser, FormReader.next(parser, reader.pull, Effect.fail), stop)
    if (file === undefined) return yield* S3Error.of("IncorrectNumberOfFilesInPostRequest")
    return { fields: parser.fields, file: file.part, content: file.stream }
  })
})
