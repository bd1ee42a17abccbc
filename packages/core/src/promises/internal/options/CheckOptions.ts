/**
 * Checks the options of `open`: a program without types, or with a misspelt option, gets an error that names each faulty one.
 */
import * as Layer from "effect/Layer"
import { InvalidRequest } from "../../../Errors.ts"
import { defaults, type Quota, type Settings } from "../../../Settings.ts"
import type { Hooks } from "../../Hooks.ts"
import * as BaseUrl from "../../resources/internal/BaseUrl.ts"
import * as LogOptions from "./LogOptions.ts"
import * as Is from "../../../inputs/OptionChecks.ts"
import type { OpenOptions } from "./OpenOptions.ts"

/** An adapter: an object with a layer in one property. */
const adapter = (property: string, example: string): Is.Check =>
  Is.when((value) => Is.isRecord(value) && Layer.isLayer(value[property]), `must be an adapter, such as ${example}`)

const limit = Is.oneOf([null], Is.count(0))

const quota = Is.record(
  Object.fromEntries(Object.keys(defaults.quota).map((name) => [name, limit])) satisfies {
    [Name in keyof Quota]?: Is.Check
  }
)

const rate = Is.oneOf(
  ["off"],
  Is.record(
    { requests: Is.count(1), window: Is.duration },
    {
      requests: "how many requests",
      window: 'the time in which they are permitted, such as "1 minute"'
    }
  )
)

/** Less than the time after which `DeploymentRepository.bringForward` takes an expiry for the error of a clock. */
const expiry = Is.durationUpTo(24)

const settings = Is.record({
  maxUploadBytes: Is.count(0),
  tokensMayCreateTenants: Is.boolean,
  allowEternalTokens: Is.boolean,
  tokenLifetime: Is.duration,
  accessCache: Is.duration,
  blobGrace: expiry,
  uploadLease: expiry,
  uploadExpiry: expiry,
  playbackLifetime: Is.duration,
  videoLines: Is.when((value) => value === 1080 || value === 1440 || value === 2160, "must be 1080, 1440 or 2160"),
  videoLadders: Is.boolean,
  videoHevc: Is.boolean,
  videoAv1: Is.boolean,
  quota,
  keyRate: rate,
  tenantRate: rate,
  failedAuthenticationRate: rate,
  publicBuckets: Is.boolean,
  anonymousRate: rate,
  eventRetention: Is.duration,
  webhooksAllowPrivate: Is.boolean
} satisfies { readonly [Name in keyof Settings]: Is.Check })

const call = Is.when((value) => typeof value === "function", "must be a function")
const hook = Is.record({ before: call, after: call })

/** Bytes of a secret key. */
const keyLength = 32

const secretKey = Is.bytes((length) => length === keyLength, `must be ${keyLength} bytes`)

/** Bytes: the length of the HMAC-SHA-256 output, below which RFC 2104, section 3, discourages keys. */
const minSigningSecret = 32

const checks = {
  metadata: adapter("metadata", 'sqlite({ file: "data/holdfast.sqlite" })'),
  blobs: adapter("blobs", 'fs({ directory: "data" })'),
  hooks: Is.record({
    onUpload: hook,
    onReplace: hook,
    onDelete: hook,
    timeout: Is.duration,
    concurrency: Is.count(1)
  } satisfies { readonly [Name in keyof Required<Hooks>]: Is.Check }),
  settings,
  publicUrl: Is.when(BaseUrl.isBaseUrl, BaseUrl.expected),
  sweepEvery: Is.oneOf([false], Is.duration),
  scrubEvery: Is.oneOf([false], Is.duration),
  video: Is.oneOf(["elsewhere"], adapter("transcoder", "ffmpeg()")),
  conversions: Is.count(1),
  workspace: adapter("workspace", 'workspace({ directory: "./conversions" })'),
  signingSecret: Is.bytes((length) => length >= minSigningSecret, `must be at least ${minSigningSecret} bytes`),
  secretKey,
  formerSecretKeys: Is.list(secretKey),
  mirrors: Is.list(
    Is.when((value) => Is.isRecord(value) && Is.isRecord(value["targets"]), "must be an adapter, such as s3Mirrors()")
  ),
  mirrorCopies: Is.count(0),
  webhooks: Is.oneOf(["elsewhere"], adapter("sender", "webhooks()")),
  webhookRequests: Is.count(1),
  log: Is.oneOf(
    LogOptions.levels,
    Is.when((value) => typeof value === "function", `must be a function or one of ${LogOptions.levels.join(", ")}`)
  )
} satisfies { readonly [Name in keyof Required<OpenOptions>]: Is.Check }

const check = Is.record(checks, {
  metadata: 'where records are stored, such as sqlite({ file: "data/holdfast.sqlite" }) of @holdfast/sqlite',
  blobs: 'where contents are stored, such as fs({ directory: "data" }) of @holdfast/fs'
})

/** Throws `InvalidRequest` with every fault of the options. */
export const checkOptions = (options: unknown): void => {
  const faults = [...check(options, "")]
  if (Is.isRecord(options) && Is.isRecord(options["video"]) && faults.length === 0) {
    const { blobs, workspace } = options
    if (workspace === undefined && !(Is.isRecord(blobs) && blobs["workspace"] !== undefined)) {
      faults.push({
        pointer: "/workspace",
        detail: "is required to convert videos: the blob adapter has no directory of its own"
      })
    }
  }
  if (faults.length > 0) throw InvalidRequest.of(faults, { subject: "The options of open() are not valid" })
}
