/**
 * What a deployment decides. Every setting has a default that is right for most.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export interface Settings {
  /** The largest content of one file, in bytes. */
  readonly maxUploadBytes: number
  /** Whether an API token may create tenants; account keys always may. */
  readonly tokensMayCreateTenants: boolean
  /** Whether an Admin may make tokens that never expire. */
  readonly allowEternalTokens: boolean
  /** How long the answer to "what may this actor do" may be reused; never above one second, zero for not at all. */
  readonly accessCache: Duration.Duration
  /** How long the bytes of a replaced or removed content stay, for readers that began before. */
  readonly blobGrace: Duration.Duration
  /** How long an upload's bytes are kept after its process was last heard of. */
  readonly uploadLease: Duration.Duration
  /** How long a playback key is good for; it may be a twelfth longer. */
  readonly playbackLifetime: Duration.Duration
}

export const defaults: Settings = {
  maxUploadBytes: 5 * 1024 ** 4,
  tokensMayCreateTenants: false,
  allowEternalTokens: false,
  accessCache: Duration.seconds(1),
  blobGrace: Duration.minutes(5),
  uploadLease: Duration.minutes(2),
  playbackLifetime: Duration.hours(12)
}

export const Settings = Context.Reference<Settings>("@holdfast/core/Settings", { defaultValue: () => defaults })
