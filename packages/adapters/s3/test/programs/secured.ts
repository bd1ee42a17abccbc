/**
 * Puts a small and a large content to a service over TLS, whose address is the argument, and prints their sizes. Its
 * certificate is trusted by way of NODE_EXTRA_CA_CERTS.
 */
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "../../src/S3BlobStore.ts"
import * as Keys from "../support/Keys.ts"

const told = await Effect.gen(function* () {
  const store = yield* S3BlobStore.make({
    bucket: "bucket",
    region: "us-east-1",
    endpoint: process.argv[2],
    forcePathStyle: true,
    credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret") },
    maxAttempts: 1
  })
  const sizes = [1000, 10 * 1024 * 1024]
  const receipts = yield* Effect.forEach(sizes, (size, index) => store.put(Keys.key(index), Generate.stream(1, size)))
  return receipts.map(({ size }) => size)
}).pipe(Effect.scoped, Effect.runPromise)
process.stdout.write(JSON.stringify(told))
