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
import { ActorHandle } from "./Actors.ts"
import type { Call } from "./Call.ts"
import { BucketsDoor } from "./BucketsDoor.ts"
import * as DoorContext from "./DoorContext.ts"
import { FilesDoor } from "./FilesDoor.ts"
import { HeadersDoor } from "./HeadersDoor.ts"
import { KeysDoor } from "./KeysDoor.ts"
import { MembersDoor } from "./MembersDoor.ts"
import * as Runner from "./Runner.ts"
import { TenantsDoor } from "./TenantsDoor.ts"
import { TokensDoor } from "./TokensDoor.ts"

/** A metadata adapter, as its package's factory gives it: `sqlite({ file })`, `postgres({ url })`. */
export interface MetadataAdapter {
  readonly metadata: Layer.Layer<Core.Metadata, unknown>
}

/** A blob adapter, as its package's factory gives it: `fs({ directory })`. */
export interface BlobsAdapter {
  readonly blobs: Layer.Layer<BlobStore, unknown>
}

export interface OpenOptions {
  readonly metadata: MetadataAdapter
  readonly blobs: BlobsAdapter
  /** What differs from the defaults. */
  readonly settings?: Partial<Settings.Settings> | undefined
  /** How often bytes that no file needs are removed; `false` for never, where another process does it. Default: a minute. */
  readonly sweepEvery?: Duration.Input | false | undefined
}

/** An open Holdfast. Close it, or declare it with `await using`. */
export class Holdfast implements AsyncDisposable {
  readonly tenants: TenantsDoor
  readonly members: MembersDoor
  readonly tokens: TokensDoor
  readonly buckets: BucketsDoor
  readonly files: FilesDoor
  readonly headers: HeadersDoor
  readonly keys: KeysDoor
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
    DoorContext.register(this, { isClosed, scope, services, resolve: (handle) => ActorHandle.resolve(this, handle) })
    this.tenants = new TenantsDoor(call)
    this.members = new MembersDoor(call)
    this.tokens = new TokensDoor(call)
    this.buckets = new BucketsDoor(call)
    this.files = new FilesDoor(call)
    this.headers = new HeadersDoor(call)
    this.keys = new KeysDoor(call)
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
  const services = Core.layer.pipe(
    Layer.provide([metadata.metadata, blobs.blobs]),
    Layer.provideMerge(Crypto),
    Layer.provideMerge(Layer.succeed(Settings.Settings, { ...Settings.defaults, ...settings }))
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
