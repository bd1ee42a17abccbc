/**
 * Stores in fresh buckets of Ceph's gateway.
 */
import {
  CreateBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NotFound,
  PutObjectCommand,
  S3Client
} from "@aws-sdk/client-s3"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import { type OpenOptions, RemoteStoreSubject } from "@holdfast/testing/storage/remote/RemoteStoreSubject"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "../../src/S3BlobStore.ts"
import type * as S3Options from "../../src/S3Options.ts"

/** The options that another client needs, too. */
export interface BucketOptions extends S3Options.Options {
  readonly endpoint: string
  readonly forcePathStyle: boolean
  readonly credentials: S3Options.Credentials
}

let buckets = 0

/** Makes an empty bucket. Returns the options of a store in it. */
export const makeBucket = Effect.gen(function* () {
  const { credentials, endpoint } = yield* CephRgw.CephRgw
  const options: BucketOptions = {
    bucket: `test-${process.pid}-${buckets++}`,
    region: "us-east-1",
    endpoint,
    forcePathStyle: true,
    credentials
  }
  yield* Effect.scoped(
    Effect.flatMap(openClient(options), (client) =>
      Effect.promise(() => client.send(new CreateBucketCommand({ Bucket: options.bucket })))
    )
  )
  return options
})

/** Opens a client of the SDK until the scope closes. */
export const openClient = ({ credentials, endpoint, forcePathStyle, region }: BucketOptions) =>
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
    (client) => Effect.sync(() => client.destroy())
  )

/** Lists the keys of multipart uploads that are neither complete nor aborted. */
export const listUploads = (client: S3Client, bucket: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.promise(() => client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))),
    ({ Uploads = [] }) => Uploads.map(({ Key = "" }) => Key)
  )

/** A store in a fresh bucket of its own gateway. */
export const layer = Layer.unwrap(Effect.map(makeBucket, (options) => S3BlobStore.layer(options))).pipe(
  Layer.provide(CephRgw.layer)
)

/** Opens a store in a fresh bucket. */
export const open = Effect.gen(function* () {
  const options = yield* makeBucket
  const client = yield* openClient(options)
  const store = yield* S3BlobStore.make(options)
  return { options, client, store, pendingUploads: listUploads(client, options.bucket) }
})

const hasObject = (client: S3Client, bucket: string) => (name: string) =>
  Effect.promise(() =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: name })).then(
      () => true,
      (error) => {
        if (error instanceof NotFound) return false
        throw error
      }
    )
  )

/** The subject of the suite of remote stores. */
export const subject = Layer.effect(
  RemoteStoreSubject,
  Effect.gen(function* () {
    const gateway = yield* CephRgw.CephRgw
    return RemoteStoreSubject.of({
      fresh: Effect.map(open, ({ client, options, pendingUploads, store }) => ({
        store,
        endpoint: options.endpoint,
        open: (other: OpenOptions) => S3BlobStore.make({ ...options, ...other }),
        putForeignObject: (folder: string) => {
          const object = { Bucket: options.bucket, Key: `${folder}notes.txt`, Body: "notes" }
          return Effect.asVoid(Effect.promise(() => client.send(new PutObjectCommand(object))))
        },
        hasObject: hasObject(client, options.bucket),
        pendingUploads
      })).pipe(Effect.provideService(CephRgw.CephRgw, gateway)),
      misconfigured: Effect.map(makeBucket, (options) => [
        S3BlobStore.make({ ...options, bucket: "missing" }),
        S3BlobStore.make({
          ...options,
          credentials: { ...options.credentials, secretAccessKey: Redacted.make("another") }
        })
      ]).pipe(Effect.provideService(CephRgw.CephRgw, gateway)),
      secrets: [],
      stop: gateway.stop,
      start: gateway.start
    })
  })
).pipe(Layer.provide(CephRgw.layer))
