/**
 * Mirrors' targets in fresh buckets of the gateway, and what another client reads there.
 */
import { GetObjectCommand, NoSuchKey, type S3Client } from "@aws-sdk/client-s3"
import { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import { freePort } from "@holdfast/testing/servers/FreePort"
import * as MirrorSubject from "@holdfast/testing/mirrors/MirrorSubject"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as S3Options from "../../src/S3Options.ts"
import * as S3MirrorTarget from "../../src/S3MirrorTarget.ts"
import * as Bucket from "./Bucket.ts"

const mebibyte = 1024 * 1024

/** With the smallest parts that there are. */
export const options: S3Options.MirrorOptions = {
  allowPrivate: true,
  partBytes: 5 * mebibyte,
  copyBytes: 5 * mebibyte,
  maxAttempts: 2
}

/** A bucket of the gateway as a location. */
export const location = (bucket: Effect.Success<typeof Bucket.options>): S3Location => ({
  type: "S3",
  region: bucket.region,
  bucketName: bucket.bucket,
  accessKeyId: bucket.credentials.accessKeyId,
  secretAccessKey: bucket.credentials.secretAccessKey,
  endpoint: bucket.endpoint,
  forcePathStyle: true
})

/** What makes a mirror to a bucket of the gateway. */
export const input = (bucket: Effect.Success<typeof Bucket.options>) => ({ name: "A mirror", ...location(bucket) })

/** The targets of a deployment that has those of S3 alone. */
export const targets = (more: Partial<S3Options.MirrorOptions> = {}): Layer.Layer<MirrorTargets> =>
  Layer.succeed(MirrorTargets, MirrorTargets.of({ open: { S3: S3MirrorTarget.open({ ...options, ...more }) } }))

/** What stands under a key, read by another client. */
export const readBack = (client: S3Client, bucket: string) => (name: string) =>
  Effect.promise(async (): Promise<Option.Option<MirrorSubject.ReadBack>> => {
    try {
      const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name }))
      const description = {
        contentType: answer.ContentType ?? "",
        cacheControl: answer.CacheControl,
        contentDisposition: answer.ContentDisposition,
        contentEncoding: answer.ContentEncoding,
        contentLanguage: answer.ContentLanguage,
        metadata: answer.Metadata ?? {}
      }
      const bytes = (await answer.Body?.transformToByteArray()) ?? new Uint8Array(0)
      return Option.some({ bytes, description })
    } catch (error) {
      if (error instanceof NoSuchKey) return Option.none()
      throw error
    }
  })

/** A target in a bucket of its own, and what is needed to look at that. */
export const fresh = Effect.gen(function* () {
  const bucket = yield* Bucket.options
  const client = yield* Bucket.client(bucket)
  const target = yield* S3MirrorTarget.open(options)(location(bucket))
  return { bucket, client, target, readBack: readBack(client, bucket.bucket) }
})

/** What the contract suite is run on. */
export const subject = Layer.effect(
  MirrorSubject.MirrorSubject,
  Effect.gen(function* () {
    const gateway = yield* CephRgw.CephRgw
    const right = location(yield* Bucket.options)
    const wrong = { ...right, secretAccessKey: Redacted.make("wrong-secret-of-nobody") }
    const closed = { ...right, endpoint: `http://127.0.0.1:${yield* freePort}` }
    const open = S3MirrorTarget.open(options)
    return {
      fresh: Effect.provideService(fresh, CephRgw.CephRgw, gateway),
      broken: {
        wrongCredentials: open(wrong),
        missingBucket: open({ ...right, bucketName: "nobodys" }),
        closedPort: open(closed),
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
