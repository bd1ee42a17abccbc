/**
 * The options of `open`.
 */
import type * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import type { ConversionWorkspace } from "../../../conversions/worker/ConversionWorkspace.ts"
import type { Metadata } from "../../../Holdfast.ts"
import type { MirrorTargets } from "../../../mirrors/targets/MirrorTarget.ts"
import type { SettingsInput } from "../../../Settings.ts"
import type { BlobStore } from "../../../storage/BlobStore.ts"
import type { Hooks } from "../../Hooks.ts"
import type { LogEntry, LogLevel } from "../../Log.ts"
import type { Transcoder } from "../../../transcoding/Transcoder.ts"
import type { WebhookSender } from "../../../webhooks/WebhookSender.ts"
import type { IsPublicHost } from "../../../webhooks/WebhookUrl.ts"

/** A metadata adapter. Its package has a function that returns it: `sqlite({ file })`, `postgres({ url })`. */
export interface MetadataAdapter {
  readonly metadata: Layer.Layer<Metadata, unknown>
}

/** A blob adapter. Its package has a function that returns it: `fs({ directory })`. */
export interface BlobsAdapter {
  readonly blobs: Layer.Layer<BlobStore, unknown>
  /** The default workspace of conversions, for an adapter that has a disk of its own. */
  readonly workspace?: Layer.Layer<ConversionWorkspace, unknown> | undefined
}

/** A transcoder. Its package has a function that returns it: `ffmpeg()`. */
export interface VideoAdapter {
  readonly transcoder: Layer.Layer<Transcoder, unknown>
}

/** Disk space for conversions. Its package has a function that returns it: `workspace({ directory })`. */
export interface WorkspaceAdapter {
  readonly workspace: Layer.Layer<ConversionWorkspace, unknown>
}

/** One type of mirror target. Its package has a function that returns it: `s3Mirrors()`. */
export interface MirrorsAdapter {
  readonly targets: MirrorTargets["Service"]["open"]
}

/** What sends the deliveries of webhooks. Its package has a function that returns it: `webhooks()`. */
export interface WebhooksAdapter {
  readonly sender: Layer.Layer<WebhookSender, unknown>
  /** Returns false for the host of a URL that a new webhook must not have. */
  readonly isPublicHost: IsPublicHost
}

export interface OpenOptions {
  /** Where records are stored: `sqlite({ file })` of `@holdfast/sqlite`, `postgres({ url })` of `@holdfast/postgres`. */
  readonly metadata: MetadataAdapter
  /**
   * Where contents are stored: `fs({ directory })` of `@holdfast/fs`, `s3(…)` of `@holdfast/s3`, `azure(…)` of `@holdfast/azure`, `gcs(…)`
   * of `@holdfast/gcs`, or a store of your own by `defineBlobStore(…)`.
   */
  readonly blobs: BlobsAdapter
  /** What your program does before a content is stored or a file is removed, and may refuse. */
  readonly hooks?: Hooks | undefined
  /** Settings that differ from the defaults. */
  readonly settings?: SettingsInput | undefined
  /**
   * Where clients reach the mounted HTTP API: a URL such as `https://app.example.com/storage`, or a path such as `/storage`. The addresses
   * of links, shares and playback keys begin with it, unless a call has a `baseUrl`. Default: the root of the origin.
   */
  readonly publicUrl?: string | undefined
  /**
   * How often this process sweeps, which removes the bytes of doomed blobs; `false` where another process sweeps. A process that
   * sweeps also finishes the removal of large buckets and tenants, recovers failed deliveries of webhooks and deletes old ones, and computes
   * the checksums of contents that were uploaded in parts. Default: every minute.
   */
  readonly sweepEvery?: Duration.Input | false | undefined
  /**
   * How often this process reads all contents, and those of streams, and compares them with their checksums: for a tenth of the time at
   * most, and at most 16 MiB in a second. Of several processes one does it at a time. `false` where nothing is compared, as in a process
   * that does not sweep. Default: every 30 days.
   */
  readonly scrubEvery?: Duration.Input | false | undefined
  /**
   * The transcoder of this process: `ffmpeg()` of `@holdfast/ffmpeg`. `"elsewhere"` where other processes over the same metadata and blobs convert
   * videos. Without it no conversion can be requested.
   */
  readonly video?: VideoAdapter | "elsewhere" | undefined
  /** How many videos this process converts at once; each may occupy several processors. Default: 1. */
  readonly conversions?: number | undefined
  /** The disk space of conversions: `workspace({ directory })` of `@holdfast/fs`. Default: that of the blob adapter, where it has one. */
  readonly workspace?: WorkspaceAdapter | undefined
  /**
   * The secret that signs playback keys and links: at least 32 random bytes, the same each time and in every process of the deployment.
   * Default: derived from `secretKey`, as in the service; without that a random one, whose keys and links end with the process.
   */
  readonly signingSecret?: Uint8Array | undefined
  /**
   * The key that encrypts the credentials of mirrors, the secrets of webhooks and those of S3 credentials: 32 random bytes, the same each
   * time and in every process of the deployment. Without it there are none of them.
   */
  readonly secretKey?: Uint8Array | undefined
  /** Former secret keys. They decrypt the credentials that they encrypted. */
  readonly formerSecretKeys?: ReadonlyArray<Uint8Array> | undefined
  /**
   * Types of mirror targets: `s3Mirrors()` of `@holdfast/s3`, `azureMirrors()` of `@holdfast/azure`, `gcsMirrors()` of `@holdfast/gcs`.
   * Another bucket of this deployment needs none.
   */
  readonly mirrors?: ReadonlyArray<MirrorsAdapter> | undefined
  /** How many files this process copies to mirrors at once; 0 where other processes do it. Default: 16. */
  readonly mirrorCopies?: number | undefined
  /**
   * What sends the deliveries of webhooks in this process: `webhooks()` of `@holdfast/outbound`. `"elsewhere"` where other processes over the same metadata
   * send them. Without it or without `secretKey`, no webhook can be created.
   */
  readonly webhooks?: WebhooksAdapter | "elsewhere" | undefined
  /** How many requests to endpoints of webhooks this process makes at once, one to each webhook. Default: 64. */
  readonly webhookRequests?: number | undefined
  /**
   * What this process logs: `"off"`, or the lowest level of what it prints to the console (`"error"`, `"warn"`, `"info"`, `"debug"`). A
   * function gets every entry instead. Entries contain no keys. Default: `"warn"`.
   */
  readonly log?: "off" | LogLevel | ((entry: LogEntry) => void) | undefined
}
