/**
 * The Promise door: Holdfast for programs that do not use Effect.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { InvalidRequest } from "../Errors.ts"
import * as Core from "../Holdfast.ts"
import * as Settings from "../Settings.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import * as Sweeper from "../storage/Sweeper.ts"
import type { ConversionWorkspace } from "../conversions/ConversionWorkspace.ts"
import { PlaybackSecret } from "../playback/PlaybackKeys.ts"
import { ActorHandle } from "./Actors.ts"
import type { Call } from "./Call.ts"
import { BucketsApi } from "./BucketsApi.ts"
import * as PromiseApiContext from "./PromiseApiContext.ts"
import * as MirrorOptions from "./MirrorOptions.ts"
import * as VideoOptions from "./VideoOptions.ts"
import { FilesApi } from "./FilesApi.ts"
import { HeadersApi } from "./HeadersApi.ts"
import { KeysApi } from "./KeysApi.ts"
import { MembersApi } from "./MembersApi.ts"
import { MirrorsApi } from "./MirrorsApi.ts"
import * as Runner from "./Runner.ts"
import { StreamsApi } from "./StreamsApi.ts"
import { TenantsApi } from "./TenantsApi.ts"
import { TokensApi } from "./TokensApi.ts"

/** A metadata adapter, as its package's factory gives it: `sqlite({ file })`, `postgres({ url })`. */
export interface MetadataAdapter {
  readonly metadata: Layer.Layer<Core.Metadata, unknown>
}

/** A blob adapter, as its package's factory gives it: `fs({ directory })`. */
export interface BlobsAdapter {
  readonly blobs: Layer.Layer<BlobStore, unknown>
  /** Where conversions work best, for an adapter that has a disk of its own. */
  readonly workspace?: Layer.Layer<ConversionWorkspace, unknown> | undefined
}

export interface OpenOptions {
  readonly metadata: MetadataAdapter
  readonly blobs: BlobsAdapter
  /** What differs from the defaults. */
  readonly settings?: Partial<Settings.Settings> | undefined
  /** How often bytes that no file needs are removed; `false` for never, where another process does it. Default: a minute. */
  readonly sweepEvery?: Duration.Input | false | undefined
  /**
   * Converts videos in this process: `ffmpeg()`. `"elsewhere"` where other processes over the same metadata and blobs do.
   * Without it nobody can ask for a conversion.
   */
  readonly video?: VideoOptions.VideoAdapter | "elsewhere" | undefined
  /** How many videos are converted at once; each may keep several processors busy. Default: 1. */
  readonly conversions?: number | undefined
  /** Where conversions work; the blob adapter's own directory where it has one. */
  readonly workspace?: VideoOptions.WorkspaceAdapter | undefined
  /**
   * What playback keys are signed with: at least 32 random bytes, the same in every process of the deployment. Without it
   * each process makes its own, and keys end with it.
   */
  readonly playbackSecret?: Uint8Array | undefined
  /**
   * What the credentials of mirrors are sealed with: 32 random bytes, the same at every opening and in every process of the
   * deployment. Without it there are no mirrors.
   */
  readonly secretKey?: Uint8Array | undefined
  /** Keys that were the secret key earlier; what they sealed still opens. */
  readonly formerSecretKeys?: ReadonlyArray<Uint8Array> | undefined
  /** Where mirrors may lead besides to other buckets of this Holdfast: `s3Mirrors()`, `azureMirrors()`, `gcsMirrors()`. */
  readonly mirrors?: ReadonlyArray<MirrorOptions.MirrorsAdapter> | undefined
  /** How many files this process copies to mirrors at once; 0 where other processes do it. Default: 16. */
  readonly mirrorCopies?: number | undefined
}

/** An open Holdfast. Close it, or declare it with `await using`. */
export class Holdfast implements AsyncDisposable {
  readonly tenants: TenantsApi
  readonly members: MembersApi
  readonly tokens: TokensApi
  readonly buckets: BucketsApi
  readonly files: FilesApi
  readonly headers: HeadersApi
  readonly streams: StreamsApi
  readonly mirrors: MirrorsApi
  readonly keys: KeysApi
  readonly #runner: Runner.Runner

  /** Made by `open`. */
  constructor(runner: Runner.Runner) {
    const call: Call = (actor, input, options, operation) =>
      runner.run(
        typeof input === "object" && input !== null
          ? Effect.flatMap(ActorHandle.resolve(this, actor), operation)
          : Effect.fail(InvalidRequest.at("", "must be an object")),
        options
      )
    this.#runner = runner
    const { isClosed, scope, services } = runner
    PromiseApiContext.register(this, {
      isClosed,
      scope,
      services,
      resolve: (handle) => ActorHandle.resolve(this, handle)
    })
    this.tenants = new TenantsApi(call)
    this.members = new MembersApi(call)
    this.tokens = new TokensApi(call)
    this.buckets = new BucketsApi(call)
    this.files = new FilesApi(call)
    this.headers = new HeadersApi(call)
    this.streams = new StreamsApi(call)
    this.mirrors = new MirrorsApi(call)
    this.keys = new KeysApi(call)
  }

  /** The holder of an account key or API token. The key is checked with each call. */
  as(key: string): ActorHandle {
    return ActorHandle.key(this, key)
  }

  /** An account that your own program has authenticated, by its e-mail address. */
  account(email: string): ActorHandle {
    return ActorHandle.account(this, email)
  }

  /** The deployment itself: every permission, in every tenant. Never hand it to a request. */
  system(): ActorHandle {
    return ActorHandle.system(this)
  }

  /** Waits for nothing: what runs is interrupted, and leaves nothing half-done. Idempotent. */
  close(): Promise<void> {
    return this.#runner.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const Crypto = Layer.mergeAll(SecureRandom.layerWebCrypto, Digest.layerWebCrypto)

/**
 * Opens a Holdfast over the chosen adapters. Rejects with the adapter's own typed error when a database cannot be
 * reached or a directory is held by another process.
 *
 * @example
 * await using holdfast = await open({ metadata: sqlite({ file: "app.db" }), blobs: fs({ directory: "./files" }) })
 */
export const open = async (options: OpenOptions): Promise<Holdfast> => {
  const { blobs, metadata, settings, sweepEvery = "1 minute" } = options
  const services = Layer.merge(VideoOptions.worker(options), MirrorOptions.worker(options)).pipe(
    Layer.provideMerge(Core.layer),
    Layer.provide([
      metadata.metadata,
      blobs.blobs,
      VideoOptions.transcoder(options),
      MirrorOptions.targets(options),
      MirrorOptions.secretBox(options)
    ]),
    Layer.provideMerge(Crypto),
    Layer.provideMerge(Layer.succeed(Settings.Settings, { ...Settings.defaults, ...settings })),
    Layer.provide(Layer.succeed(PlaybackSecret, VideoOptions.playbackSecret(options)))
  )
  const layer = sweepEvery === false ? services : Layer.provideMerge(Sweeper.layerPeriodic(sweepEvery), services)
  const runtime = ManagedRuntime.make(layer)
  try {
    return new Holdfast(Runner.make(runtime, await runtime.context()))
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}
