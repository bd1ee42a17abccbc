/**
 * Puts a small and a large content to a service over TLS, and prints their sizes. The argument is the service's URL.
 * NODE_EXTRA_CA_CERTS has its certificate.
 */
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "../../src/S3BlobStore.ts"

const sizes = await Effect.gen(function* () {
  const store = yield* S3BlobStore.make({
    bucket: "bucket",
    region: "us-east-1",
    endpoint: process.argv[2],
    forcePathStyle: true,
    credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret") },
    maxAttempts: 1
  })
  const receipts = yield* Effect.forEach([1000, 10 * 1024 * 1024], (size, index) =>
    store.put(BlobKeys.key(index), Generate.stream(1, size))
  )
  return receipts.map(({ size }) => size)
}).pipe(Effect.scoped, Effect.runPromise)
process.stdout.write(JSON.stringify(sizes))
