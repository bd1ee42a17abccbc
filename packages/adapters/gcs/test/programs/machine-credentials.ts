/**
 * Puts and reads a blob with the credentials of the machine: `machine-credentials.ts <endpoint> <bucket>`. Prints the
 * content.
 */
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { gcs } from "../../src/index.ts"

const [, , endpoint, bucket = ""] = process.argv
const key = BlobKeys.key(0)

const roundTrip = Effect.gen(function* () {
  const store = yield* BlobStore.BlobStore
  yield* store.put(key, Stream.make(Buffer.from("Hello")))
  return Buffer.concat(yield* Stream.runCollect(store.read(key))).toString()
})

process.stdout.write(await Effect.runPromise(Effect.provide(roundTrip, gcs({ bucket, endpoint }).blobs)))
