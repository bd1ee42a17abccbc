/**
 * Puts a content with a token, asks for it, and prints what comes of both: the service's address is the argument. Its
 * certificate is trusted by way of NODE_EXTRA_CA_CERTS.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AzureBlobStore from "../../src/AzureBlobStore.ts"
import * as Keys from "../support/Keys.ts"

const told = await AzureBlobStore.make({
  accountName: "account",
  container: "container",
  endpoint: process.argv[2],
  token: { getToken: async () => ({ token: "a-token", expiresOnTimestamp: Date.now() + 3_600_000 }) },
  maxAttempts: 1,
  idleTimeout: "2 seconds"
}).pipe(
  Effect.flatMap((store) =>
    Effect.all({
      put: Effect.map(store.put(Keys.key(0), Stream.make(Buffer.from("Hello"))), ({ size }) => size),
      stat: Effect.match(store.stat(Keys.key(0)), { onFailure: ({ reason }) => reason, onSuccess: ({ size }) => size })
    })
  ),
  Effect.scoped,
  Effect.runPromise
)
process.stdout.write(JSON.stringify(told))
