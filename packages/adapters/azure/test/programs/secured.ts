/**
 * Puts a content with a token, asks for it, and prints what comes of both: the service's address is the argument. Its
 * certificate is trusted by way of NODE_EXTRA_CA_CERTS.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AzureBlobStore from "../../src/AzureBlobStore.ts"
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import * as Keys from "../support/Keys.ts"

const open = (requests: RequestOptions) =>
  AzureBlobStore.make({
    accountName: "account",
    container: "container",
    endpoint: process.argv[2],
    token: { getToken: async () => ({ token: "a-token", expiresOnTimestamp: Date.now() + 3_600_000 }) },
    maxAttempts: 1,
    ...requests
  })

const told = await Effect.gen(function* () {
  const patient = yield* open({})
  const { size } = yield* patient.put(Keys.key(0), Stream.make(Buffer.from("Hello")))
  const hasty = yield* open({ idleTimeout: "50 millis" })
  const { reason } = yield* Effect.flip(hasty.stat(Keys.key(0)))
  return { size, reason }
}).pipe(Effect.scoped, Effect.runPromise)
process.stdout.write(JSON.stringify(told))
