/**
 * Fresh buckets of the gateway.
 */
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as S3Options from "../../src/S3Options.ts"
import * as S3BlobStore from "../../src/S3BlobStore.ts"

/** What both a store and another client need to know. */
export interface TestOptions extends S3Options.Options {
  readonly endpoint: string
  readonly forcePathStyle: boolean
  readonly credentials: S3Options.Credentials
}

let made = 0

/** Options for a bucket that is empty and nobody else's. */
export const options = Effect.gen(function* () {
  const { credentials, endpoint } = yield* CephRgw.CephRgw
  const options: TestOptions = {
    bucket: `test-${process.pid}-${made++}`,
    region: "us-east-1",
    endpoint,
    forcePathStyle: true,
    credentials
  }
  yield* Effect.scoped(
    Effect.flatMap(client(options), (s3) =>
      Effect.promise(() => s3.send(new CreateBucketCommand({ Bucket: options.bucket })))
    )
  )
  return options
})

/** A client besides the store's, until the scope closes. */
export const client = ({ credentials, endpoint, forcePathStyle, region }: TestOptions) =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new S3Client({
          region,
          endpoint,
          forcePathStyle,
          requestChecksumCalculation: "WHEN_REQUIRED",
          credentials: {
            accessKeyId: credentials.accessKeyId,
            secretAccessKey: Redacted.value(credentials.secretAccessKey)
          }
        })
    ),
    (s3) => Effect.sync(() => s3.destroy())
  )

/** A store in a fresh bucket of a gateway of its own. */
export const store = Layer.unwrap(Effect.map(options, (options) => S3BlobStore.layer(options))).pipe(
  Layer.provide(CephRgw.layer)
)
