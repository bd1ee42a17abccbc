/**
 * Puts a content with a token, then calls `stat` with a short idle timeout, and prints the size and the reason of the
 * error. The argument is the service's URL. NODE_EXTRA_CA_CERTS has its certificate.
 */
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AzureBlobStore from "../../src/AzureBlobStore.ts"

const key = BlobKeys.key(0)

const open = (options: RequestOptions) =>
  AzureBlobStore.make({
    accountName: "account",
    container: "container",
    endpoint: process.argv[2],
    token: { getToken: async () => ({ token: "a-token", expiresOnTimestamp: Date.now() + 3_600_000 }) },
    maxAttempts: 1,
    ...options
  })

const result = await Effect.gen(function* () {
  const store = yield* open({})
  const { size } = yield* store.put(key, Stream.make(Buffer.from("Hello")))
  const impatient = yield* open({ idleTimeout: "50 millis" })
  const { reason } = yield* Effect.flip(impatient.stat(key))
  return { size, reason }
}).pipe(Effect.scoped, Effect.runPromise)
process.stdout.write(JSON.stringify(result))
