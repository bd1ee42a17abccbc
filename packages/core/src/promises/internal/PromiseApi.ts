/**
 * The Promise API: Holdfast for programs that do not use Effect.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as StoreIdentity from "../../deployment/StoreIdentity.ts"
import { InvalidRequest } from "../../Errors.ts"
import * as Health from "../../deployment/Health.ts"
import * as HookWorker from "../../files/hooks/HookWorker.ts"
import * as Core from "../../Holdfast.ts"
import * as DamageReports from "../../integrity/DamageReports.ts"
import * as InstrumentedPorts from "../../metrics/InstrumentedPorts.ts"
import * as MetricRegistries from "../../metrics/MetricRegistries.ts"
import * as QueueDepthMetrics from "../../metrics/QueueDepthMetrics.ts"
import * as StorageMetrics from "../../metrics/StorageMetrics.ts"
import * as PooledRandom from "../../secrets/PooledRandom.ts"
import * as Settings from "../../Settings.ts"
import { ActorHandle } from "./ActorHandle.ts"
import type { Invoke } from "./BindOperations.ts"
import type { CallOptions } from "../Operations.ts"
import * as CallerStack from "./CallerStack.ts"
import { checkOptions } from "./options/CheckOptions.ts"
import * as HookOptions from "./options/HookOptions.ts"
import * as LogOptions from "./options/LogOptions.ts"
import * as MirrorOptions from "./options/MirrorOptions.ts"
import * as IntegrityOptions from "./options/IntegrityOptions.ts"
import type { OpenOptions } from "./options/OpenOptions.ts"
import * as NativeCrypto from "./NativeCrypto.ts"
import * as ProcessLife from "./ProcessLife.ts"
import * as SecretOptions from "./options/SecretOptions.ts"
import * as VideoOptions from "./options/VideoOptions.ts"
import * as WebhookOptions from "./options/WebhookOptions.ts"
import * as PromiseApiContext from "../PromiseApiContext.ts"
import * as PromiseRuntime from "../PromiseRuntime.ts"
import { PublicUrl } from "../resources/internal/BaseUrl.ts"
import * as BucketsApi from "../resources/BucketsApi.ts"
import * as EventsApi from "../resources/EventsApi.ts"
import * as FilesApi from "../resources/FilesApi.ts"
import * as FoldersApi from "../resources/FoldersApi.ts"
import * as HeadersApi from "../resources/HeadersApi.ts"
import * as KeysApi from "../resources/internal/KeysApi.ts"
import * as MembersApi from "../resources/MembersApi.ts"
import * as MembershipsApi from "../resources/MembershipsApi.ts"
import * as MirrorsApi from "../resources/MirrorsApi.ts"
import * as SharesApi from "../resources/SharesApi.ts"
import * as UploadsApi from "../resources/UploadsApi.ts"
import * as WebhooksApi from "../resources/WebhooksApi.ts"
import * as QuotasApi from "../resources/internal/QuotasApi.ts"
import * as StreamsApi from "../resources/StreamsApi.ts"
import * as TenantsApi from "../resources/TenantsApi.ts"
import * as TokensApi from "../resources/TokensApi.ts"

/** An open Holdfast, which `open` returns. Close it, or declare it with `await using`. */
export class Holdfast implements AsyncDisposable {
  readonly tenants: TenantsApi.TenantsApi
  readonly members: MembersApi.MembersApi
  readonly memberships: MembershipsApi.MembershipsApi
  readonly tokens: TokensApi.TokensApi
  readonly buckets: BucketsApi.BucketsApi
  readonly files: FilesApi.FilesApi
  readonly uploads: UploadsApi.UploadsApi
  readonly folders: FoldersApi.FoldersApi
  readonly headers: HeadersApi.HeadersApi
  readonly streams: StreamsApi.StreamsApi
  readonly mirrors: MirrorsApi.MirrorsApi
  readonly shares: SharesApi.SharesApi
  readonly webhooks: WebhooksApi.WebhooksApi
  readonly events: EventsApi.EventsApi
  readonly keys: KeysApi.KeysApi
  readonly quotas: QuotasApi.QuotasApi
  readonly #runtime: PromiseRuntime.PromiseRuntime

  /** For `open`. */
  constructor(runtime: PromiseRuntime.PromiseRuntime) {
    const invoke: Invoke = (handle, input, options, operation) =>
      runtime.run(
        typeof input === "object" && input !== null
          ? Effect.flatMap(ActorHandle.resolve(this, handle), operation)
          : Effect.fail(InvalidRequest.at("", "must be an object")),
        options
      )
    this.#runtime = runtime
    const { isClosed, scope, services } = runtime
    PromiseApiContext.register(this, {
      isClosed,
      scope,
      services,
      resolve: (handle) => ActorHandle.resolve(this, handle)
    })
    this.tenants = TenantsApi.make(invoke)
    this.members = MembersApi.make(invoke)
    this.memberships = MembershipsApi.make(invoke)
    this.tokens = TokensApi.make(invoke)
    this.buckets = BucketsApi.make(invoke)
    this.files = FilesApi.make(invoke)
    this.uploads = UploadsApi.make(invoke)
    this.folders = FoldersApi.make(invoke)
    this.headers = HeadersApi.make(invoke)
    this.streams = StreamsApi.make(invoke)
    this.mirrors = MirrorsApi.make(invoke)
    this.shares = SharesApi.make(invoke)
    this.webhooks = WebhooksApi.make(invoke)
    this.events = EventsApi.make(invoke)
    this.keys = KeysApi.make(invoke)
    this.quotas = QuotasApi.make(invoke)
  }

  /** Returns the holder of an account key or API token. Each call checks the key. */
  as(key: string): ActorHandle<"account"> {
    return ActorHandle.key(this, key)
  }

  /** Returns an account that your own program has authenticated, by its e-mail address. */
  account(email: string): ActorHandle<"account"> {
    return ActorHandle.account(this, email)
  }

  /** Returns the deployment itself, which has every permission in every tenant. Never use it on behalf of a request. */
  system(): ActorHandle<"system"> {
    return ActorHandle.system(this)
  }

  /**
   * Checks the metadata and the blob store, each for two seconds at most, as `GET /health/ready` does. A result is reused for one
   * second. It rejects only when the call is aborted or the Holdfast is closed.
   */
  async health(options?: CallOptions): Promise<Health.HealthReport> {
    const report = await this.#runtime.run(
      Effect.flatMap(Health.Health, ({ check }) => check),
      options
    )
    return "value" in report ? report.value : report
  }

  /** Interrupts running calls, which leave nothing half done, and closes the adapters. Idempotent. */
  close(): Promise<void> {
    return this.#runtime.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const Crypto = Layer.mergeAll(PooledRandom.layer, NativeCrypto.layerDigest)

const build = async (options: OpenOptions): Promise<Holdfast> => {
  checkOptions(options)
  const { blobs, metadata, settings, sweepEvery = "1 minute" } = options
  const maintenance = sweepEvery === false ? Layer.empty : Core.layerMaintenance({ sweepEvery })
  const layer = Layer.mergeAll(
    HookWorker.layer,
    VideoOptions.worker(options).pipe(Layer.provide(IntegrityOptions.sourceCheck)),
    IntegrityOptions.worker(options),
    MirrorOptions.worker(options),
    WebhookOptions.worker(options),
    maintenance,
    Health.layer,
    QueueDepthMetrics.layer({ pushed: false })
  ).pipe(
    Layer.provideMerge(StorageMetrics.layerSweeper),
    Layer.provideMerge(Core.layer.pipe(Layer.provide(NativeCrypto.layerMac))),
    Layer.provide(InstrumentedPorts.layer),
    // Before anything uses the stores.
    Layer.provide(StoreIdentity.layerVerified),
    Layer.provide([
      metadata.metadata,
      blobs.blobs,
      VideoOptions.transcoder(options),
      MirrorOptions.targets(options),
      SecretOptions.secretBox(options)
    ]),
    Layer.provide(SecretOptions.signingSecret(options)),
    Layer.provideMerge(Crypto),
    Layer.provide([HookOptions.layer(options), DamageReports.layer]),
    Layer.provideMerge(WebhookOptions.rules(options)),
    Layer.provideMerge(Layer.succeed(Settings.Settings, Settings.fromInput(settings)))
  )
  const outermost = Layer.mergeAll(
    ProcessLife.layerClock,
    LogOptions.layer(options),
    MetricRegistries.layer,
    Layer.succeed(PublicUrl, options.publicUrl ?? "")
  )
  const runtime = ManagedRuntime.make(Layer.provideMerge(layer, outermost))
  try {
    return new Holdfast(PromiseRuntime.make(runtime, await ProcessLife.keepAlive(runtime.context())))
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}

/**
 * Opens a Holdfast over the given adapters. Rejects with `InvalidRequest` for options that are not valid or not known, with
 * `StoreMismatch` when the contents are not those of the database, and with the typed error of the adapter when a database cannot be
 * reached or another process has locked a directory.
 *
 * @example
 * await using holdfast = await open({ metadata: sqlite({ file: "data/holdfast.sqlite" }), blobs: fs({ directory: "data" }) })
 */
export const open = (options: OpenOptions): Promise<Holdfast> => {
  const caller = CallerStack.capture(open)
  return build(options).catch((error: unknown) => {
    throw caller.addTo(error)
  })
}
