/**
 * The settings of a deployment. Every setting has a default.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** At most so many requests at once. The whole number is available again after the window. */
export interface Rate {
  /** How many requests are permitted in the window. */
  readonly requests: number
  /** After this time the whole number is available again. */
  readonly window: Duration.Duration
}

/** What one tenant may have at most; null for no limit. */
export interface Quota {
  /** Bytes of contents and streams, and those that running uploads have reserved. */
  readonly bytes: number | null
  /** Files. */
  readonly files: number | null
  /** Buckets. */
  readonly buckets: number | null
  /** Members, invited ones included. */
  readonly members: number | null
  /** Tokens that are neither revoked nor expired. */
  readonly tokens: number | null
  /** Such tokens of one member. */
  readonly tokensPerMember: number | null
  /** Mirrors. */
  readonly mirrors: number | null
  /** Webhooks. At most 1,000. */
  readonly webhooks: number | null
  /** Shares that have not expired. */
  readonly shares: number | null
  /** Headers of one file. No file can have more than 64. */
  readonly headersPerFile: number | null
  /** Conversions that wait or run. */
  readonly conversions: number | null
}

/** 1080p, 1440p or 4K. */
export type VideoLines = 1080 | 1440 | 2160

export interface Settings {
  /** The largest content of one file, in bytes. */
  readonly maxUploadBytes: number
  /** Whether an API token may create tenants. Account keys always may. */
  readonly tokensMayCreateTenants: boolean
  /** Whether an Admin may create tokens that never expire. */
  readonly allowEternalTokens: boolean
  /** How far in the future a new token may expire. No limit where `allowEternalTokens` is set. */
  readonly tokenLifetime: Duration.Duration
  /** How long an actor's permissions are cached: at most one second (longer values count as one second), zero for no cache. */
  readonly accessCache: Duration.Duration
  /** How long the bytes of a replaced or removed content stay, for readers that opened the content before. At most 24 days. */
  readonly blobGrace: Duration.Duration
  /** How long the lease of an upload lasts. Its process renews it; when the process dies, the bytes stay until the lease ends. At most 24 days. */
  readonly uploadLease: Duration.Duration
  /** How long an upload in parts stays open after it last received bytes. Then its parts are removed. At most 24 days. */
  readonly uploadExpiry: Duration.Duration
  /** How long a playback key is valid; it may be up to a twelfth longer. */
  readonly playbackLifetime: Duration.Duration
  /** Pixels of the shorter side of the best size in which a video is encoded. A copy keeps its size. */
  readonly videoLines: VideoLines
  /** Whether a worker encodes lower renditions of a video that is copied or packaged. */
  readonly videoLadders: boolean
  /** Whether H.265 in MP4 and QuickTime files plays as it is, HDR included, beside the H.264 that is encoded from it. */
  readonly videoHevc: boolean
  /** Whether a worker also encodes AV1 behind video that is encoded, once it is READY. */
  readonly videoAv1: boolean
  /** What a tenant may have at most, unless the operator has set a limit for it (`Quotas`). */
  readonly quota: Quota
  /** How many requests one key may make over HTTP. */
  readonly keyRate: Rate | "off"
  /** How many requests all keys of a tenant together may make over HTTP. */
  readonly tenantRate: Rate | "off"
  /** How many requests with a key that is not valid one client address may make over HTTP. */
  readonly failedAuthenticationRate: Rate | "off"
  /** Whether buckets may be public. Off by default: otherwise a member could publish what the operator means to keep private. */
  readonly publicBuckets: boolean
  /** How many requests without a key one client address may make over HTTP for the contents of public buckets. */
  readonly anonymousRate: Rate | "off"
  /** How long events are kept. */
  readonly eventRetention: Duration.Duration
  /** Whether webhooks may send to addresses that are not public, and without TLS. */
  readonly webhooksAllowPrivate: boolean
}

export const defaults: Settings = {
  maxUploadBytes: 5 * 1024 ** 4,
  tokensMayCreateTenants: false,
  allowEternalTokens: false,
  tokenLifetime: Duration.days(366),
  accessCache: Duration.seconds(1),
  blobGrace: Duration.minutes(5),
  uploadLease: Duration.minutes(2),
  uploadExpiry: Duration.days(1),
  playbackLifetime: Duration.hours(12),
  videoLines: 1080,
  videoLadders: true,
  videoHevc: false,
  videoAv1: false,
  quota: {
    bytes: null,
    files: null,
    buckets: 10_000,
    members: 10_000,
    tokens: 10_000,
    tokensPerMember: 1000,
    mirrors: 1000,
    webhooks: 20,
    shares: 10_000,
    headersPerFile: 64,
    conversions: 100
  },
  keyRate: "off",
  tenantRate: "off",
  failedAuthenticationRate: { requests: 60, window: Duration.minutes(1) },
  publicBuckets: false,
  anonymousRate: { requests: 3000, window: Duration.minutes(1) },
  eventRetention: Duration.days(90),
  webhooksAllowPrivate: false
}

export const Settings = Context.Reference<Settings>("@holdfast/core/Settings", { defaultValue: () => defaults })

/** A setting as programs write it: a duration may also be a text such as "5 minutes", or a number of milliseconds. */
type Input<Setting> = Setting extends Duration.Duration ? Duration.Input : Setting extends Rate ? RateInput : Setting

export interface RateInput {
  /** How many requests are permitted in the window. */
  readonly requests: number
  /** After this time the whole number is available again. */
  readonly window: Duration.Input
}

/** Settings that differ from the defaults. */
export type SettingsInput = {
  readonly [Name in keyof Omit<Settings, "quota">]?: Input<Settings[Name]> | undefined
} & {
  /** Limits of each tenant that differ from the defaults, unless the operator has set a limit for the tenant. */
  readonly quota?: Partial<Quota> | undefined
}

const durations = [
  "tokenLifetime",
  "accessCache",
  "blobGrace",
  "uploadLease",
  "uploadExpiry",
  "playbackLifetime",
  "eventRetention"
] as const
const rates = ["keyRate", "tenantRate", "failedAuthenticationRate", "anonymousRate"] as const

const toRate = (input: RateInput | "off"): Rate | "off" =>
  input === "off" ? input : { requests: input.requests, window: Duration.fromInputUnsafe(input.window) }

const given = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/** Returns all settings: the given ones, and the defaults of the others. */
export const fromInput = ({ quota = {}, ...input }: SettingsInput = {}): Settings => ({
  ...defaults,
  ...given(input),
  ...Object.fromEntries(durations.map((name) => [name, Duration.fromInputUnsafe(input[name] ?? defaults[name])])),
  ...Object.fromEntries(rates.map((name) => [name, toRate(input[name] ?? defaults[name])])),
  quota: { ...defaults.quota, ...given(quota) }
})
