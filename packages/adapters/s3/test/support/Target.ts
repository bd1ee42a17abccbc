/**
 * Mirror targets in fresh buckets of Ceph's gateway, and what another client reads from them.
 */
import { GetObjectCommand, NoSuchKey, type S3Client } from "@aws-sdk/client-s3"
import { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as MirrorSubject from "@holdfast/testing/mirrors/MirrorSubject"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import { closedPort } from "@holdfast/testing/servers/FreePort"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as S3MirrorTarget from "../../src/S3MirrorTarget.ts"
import type * as S3Options from "../../src/S3Options.ts"
import * as Store from "./Store.ts"

const mebibyte = 1024 * 1024

/** The smallest parts that S3 permits. */
export const options: S3Options.MirrorOptions = {
  allowPrivate: true,
  partBytes: 5 * mebibyte,
  copyBytes: 5 * mebibyte,
  maxAttempts: 2
}

/** Returns the location of a bucket of the gateway. */
export const locationOf = (bucket: Store.BucketOptions): S3Location => ({
  type: "S3",
  region: bucket.region,
  bucketName: bucket.bucket,
  accessKeyId: bucket.credentials.accessKeyId,
  secretAccessKey: bucket.credentials.secretAccessKey,
  endpoint: bucket.endpoint,
  forcePathStyle: true
})

/** Returns the input that creates a mirror to a bucket of the gateway. */
export const inputOf = (bucket: Store.BucketOptions) => ({ name: "A mirror", ...locationOf(bucket) })

/** The targets of a deployment with S3 alone. */
export const targets = (more: Partial<S3Options.MirrorOptions> = {}): Layer.Layer<MirrorTargets> =>
  Layer.succeed(MirrorTargets, MirrorTargets.of({ open: { S3: S3MirrorTarget.open({ ...options, ...more }) } }))

/** Reads an object by another client. */
export const readBack = (client: S3Client, bucket: string) => (name: string) =>
  Effect.promise(async (): Promise<Option.Option<MirrorSubject.ReadBack>> => {
    try {
      const output = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name }))
      const description = {
        contentType: output.ContentType ?? "",
        cacheControl: output.CacheControl,
        contentDisposition: output.ContentDisposition,
        contentEncoding: output.ContentEncoding,
        contentLanguage: output.ContentLanguage,
        metadata: output.Metadata ?? {}
      }
      const bytes = (await output.Body?.transformToByteArray()) ?? new Uint8Array(0)
      return Option.some({ bytes, description })
    } catch (error) {
      if (error instanceof NoSuchKey) return Option.none()
      throw error
    }
  })

/** Opens a target in a fresh bucket. */
export const open = Effect.gen(function* () {
  const bucket = yield* Store.makeBucket
  const client = yield* Store.openClient(bucket)
  const target = yield* S3MirrorTarget.open(options)(locationOf(bucket))
  return {
    bucket,
    client,
    target,
    readBack: readBack(client, bucket.bucket),
    pendingUploads: Store.listUploads(client, bucket.bucket)
  }
})

/** The subject of the contract suite of mirror targets. */
export const subject = Layer.effect(
  MirrorSubject.MirrorSubject,
  Effect.gen(function* () {
    const gateway = yield* CephRgw.CephRgw
    const right = locationOf(yield* Store.makeBucket)
    const wrong = { ...right, secretAccessKey: Redacted.make("another-secret") }
    const closed = { ...right, endpoint: `http://127.0.0.1:${closedPort}` }
    const openTarget = S3MirrorTarget.open(options)
    return {
      fresh: Effect.provideService(open, CephRgw.CephRgw, gateway),
      broken: {
        wrongCredentials: openTarget(wrong),
        missingBucket: openTarget({ ...right, bucketName: "missing" }),
        closedPort: openTarget(closed),
        privateAddress: S3MirrorTarget.open({ ...options, allowPrivate: false })(right)
      },
      secrets: [
        gateway.credentials.accessKeyId,
        Redacted.value(gateway.credentials.secretAccessKey),
        Redacted.value(wrong.secretAccessKey)
      ]
    }
  })
).pipe(Layer.provide(CephRgw.layer))
