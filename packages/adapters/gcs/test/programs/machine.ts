/**
 * Puts and reads a blob with the credentials of the machine it believes to run on: `machine.ts <endpoint> <bucket>`.
 */
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { gcs } from "../../src/index.ts"
import * as Keys from "../support/Keys.ts"

const [, , endpoint, bucket = ""] = process.argv

const roundTrip = Effect.gen(function* () {
  const store = yield* BlobStore.BlobStore
  yield* store.put(Keys.key(0), Stream.make(Buffer.from("Hello")))
  return Buffer.concat(yield* Stream.runCollect(store.read(Keys.key(0)))).toString()
})

process.stdout.write(await Effect.runPromise(Effect.provide(roundTrip, gcs({ bucket, endpoint }).blobs)))
