/**
 * Mirrors' targets in fresh buckets of the fake service, and what truly stands there.
 */
import type { GcsLocation } from "@holdfast/core/mirrors/targets/types/GcsTargetType"
import * as MirrorSubject from "@holdfast/testing/mirrors/MirrorSubject"
import { freePort } from "@holdfast/testing/servers/FreePort"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { generateKeyPairSync } from "node:crypto"
import * as GcsMirrorTarget from "../../src/GcsMirrorTarget.ts"
import type * as GcsOptions from "../../src/GcsOptions.ts"
import * as Bucket from "./Bucket.ts"

/** With the smallest chunks that there are. */
export const options: GcsOptions.MirrorOptions = { allowPrivate: true, chunkBytes: 256 * 1024, maxAttempts: 2 }

/** A bucket of the fake as a location. */
export const location = (bucket: Effect.Success<typeof Bucket.options>): GcsLocation => ({
  type: "GCS",
  projectId: "testing",
  bucketName: bucket.bucket,
  credentials: bucket.credentials,
  endpoint: bucket.endpoint
})

/** The document of a service account with other fields. */
export const changed = (credentials: Redacted.Redacted, fields: object): Redacted.Redacted =>
  Redacted.make(JSON.stringify({ ...JSON.parse(Redacted.value(credentials)), ...fields }))

/** A private key that nobody knows. */
export const strangeKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()

const isTexts = (value: unknown): value is Record<string, string> => typeof value === "object" && value !== null

/** What stands under a name, past the API. */
const readBack = (bucket: string) => (name: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* FakeGcs.FakeGcs).findObject(bucket, name)
    if (found === undefined) return Option.none<MirrorSubject.ReadBack>()
    const { bytes, resource } = found
    const field = (name: string) => (typeof resource[name] === "string" ? resource[name] : undefined)
    const description = {
      contentType: field("contentType") ?? "",
      cacheControl: field("cacheControl"),
      contentDisposition: field("contentDisposition"),
      contentEncoding: field("contentEncoding"),
      contentLanguage: field("contentLanguage"),
      metadata: isTexts(resource["metadata"]) ? resource["metadata"] : {}
    }
    return Option.some({ bytes, description })
  })

/** A target in a bucket of its own. */
export const fresh = Effect.gen(function* () {
  const fake = yield* FakeGcs.FakeGcs
  const bucket = yield* Bucket.options
  const target = yield* GcsMirrorTarget.open(options)(location(bucket))
  const look = readBack(bucket.bucket)
  return { bucket, target, readBack: (name: string) => Effect.provideService(look(name), FakeGcs.FakeGcs, fake) }
})

/** The lines of a document's key: what a log must not have. */
const keyLines = (credentials: Redacted.Redacted): ReadonlyArray<string> =>
  String((JSON.parse(Redacted.value(credentials)) as { readonly private_key: string }).private_key)
    .split("\n")
    .filter((line) => line.length > 40 && !line.startsWith("-"))

/** What the contract suite is run on. */
export const subject = Layer.effect(
  MirrorSubject.MirrorSubject,
  Effect.gen(function* () {
    const fake = yield* FakeGcs.FakeGcs
    const right = location(yield* Bucket.options)
    const wrong = { ...right, credentials: changed(right.credentials, { private_key: strangeKey() }) }
    const closed = { ...right, endpoint: `http://127.0.0.1:${yield* freePort}` }
    const open = GcsMirrorTarget.open(options)
    return {
      fresh: Effect.provideService(fresh, FakeGcs.FakeGcs, fake),
      broken: {
        wrongCredentials: open(wrong),
        missingBucket: open({ ...right, bucketName: "nobodys" }),
        closedPort: open(closed),
        privateAddress: GcsMirrorTarget.open({ ...options, allowPrivate: false })(right)
      },
      secrets: [...keyLines(right.credentials), ...keyLines(wrong.credentials)]
    }
  })
).pipe(Layer.provide(FakeGcs.layer))
