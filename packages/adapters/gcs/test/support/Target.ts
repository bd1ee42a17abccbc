/**
 * Mirror targets in fresh buckets of the fake service, and the objects in them.
 */
import type { GcsLocation } from "@holdfast/core/mirrors/targets/types/GcsTargetType"
import * as MirrorSubject from "@holdfast/testing/mirrors/MirrorSubject"
import { closedPort } from "@holdfast/testing/servers/FreePort"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as GcsMirrorTarget from "../../src/GcsMirrorTarget.ts"
import type * as GcsOptions from "../../src/GcsOptions.ts"
import * as Documents from "./Documents.ts"
import * as Store from "./Store.ts"

/** The smallest chunks that Google permits. */
export const options: GcsOptions.MirrorOptions = { allowPrivate: true, chunkBytes: 256 * 1024, maxAttempts: 2 }

/** Returns the location of a bucket of the fake service. */
export const locationOf = (bucket: Effect.Success<typeof Store.makeBucket>): GcsLocation => ({
  type: "GCS",
  projectId: "testing",
  bucketName: bucket.bucket,
  credentials: bucket.credentials,
  endpoint: bucket.endpoint
})

const isRecordOfTexts = (value: unknown): value is Record<string, string> => typeof value === "object" && value !== null

/** Reads an object without the API. */
const readBack = (fake: FakeGcs.FakeGcs["Service"], bucket: string) => (name: string) =>
  Effect.map(fake.findObject(bucket, name), (found) => {
    if (found === undefined) return Option.none<MirrorSubject.ReadBack>()
    const { bytes, resource } = found
    const field = (name: string) => (typeof resource[name] === "string" ? resource[name] : undefined)
    const description = {
      contentType: field("contentType") ?? "",
      cacheControl: field("cacheControl"),
      contentDisposition: field("contentDisposition"),
      contentEncoding: field("contentEncoding"),
      contentLanguage: field("contentLanguage"),
      metadata: isRecordOfTexts(resource["metadata"]) ? resource["metadata"] : {}
    }
    return Option.some({ bytes, description })
  })

/** Opens a target in a fresh bucket. */
export const open = Effect.gen(function* () {
  const fake = yield* FakeGcs.FakeGcs
  const bucket = yield* Store.makeBucket
  const target = yield* GcsMirrorTarget.open(options)(locationOf(bucket))
  return { bucket, target, readBack: readBack(fake, bucket.bucket) }
})

/** The subject of the contract suite of mirror targets. */
export const subject = Layer.effect(
  MirrorSubject.MirrorSubject,
  Effect.gen(function* () {
    const fake = yield* FakeGcs.FakeGcs
    const right = locationOf(yield* Store.makeBucket)
    const wrong = {
      ...right,
      credentials: Documents.withFields(right.credentials, { private_key: Documents.makeKey() })
    }
    const closed = { ...right, endpoint: `http://127.0.0.1:${closedPort}` }
    const openTarget = GcsMirrorTarget.open(options)
    return {
      fresh: Effect.provideService(open, FakeGcs.FakeGcs, fake),
      broken: {
        wrongCredentials: openTarget(wrong),
        missingBucket: openTarget({ ...right, bucketName: "missing" }),
        closedPort: openTarget(closed),
        privateAddress: GcsMirrorTarget.open({ ...options, allowPrivate: false })(right)
      },
      secrets: [...Documents.keyLines(right.credentials), ...Documents.keyLines(wrong.credentials)]
    }
  })
).pipe(Layer.provide(FakeGcs.layer))
