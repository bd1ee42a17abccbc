/**
 * `convert <directory> <tenant> <bucket> <file>`: runs a conversion worker, which pauses in the middle of the file's
 * conversion. Prints `half` when the first half is public, and then does not continue.
 */
import * as Actor from "@holdfast/core/Actor"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { Streams } from "@holdfast/core/playback/Streams"
import { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { writeSync } from "node:fs"
import * as Services from "../conversions/support/Services.ts"

const [directory = "", tenantId = "", bucketId = "", file = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const conversions = yield* Conversions
  yield* (yield* TranscoderControl).pauseAt(0.5)
  yield* Services.startWorker({ lease: Duration.seconds(1) })
  const record = conversions.get(Actor.system, { tenantId, bucketId, fileId: file }, "hls")
  yield* Services.until(record, ({ progress }) => progress === 0.5)
  // The progress of a batch of segments is public with the first of its parts.
  const streams = yield* Streams
  const segment = streams.open(Actor.system, { tenantId, bucketId, fileId: file }, "hls", "index4.ts")
  yield* Services.until(Effect.option(segment), Option.isSome)
  writeSync(1, "half\n")
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, Services.inDirectory(directory))))
