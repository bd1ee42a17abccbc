/**
 * The API on a listening server, for black-box tests.
 *
 *     let server: TestServer.TestServer
 *     beforeAll(async () => { server = await TestServer.start() })
 *     afterAll(() => server.close())
 *
 *     const { tenantId, bucketId } = await server.makeBucket()
 *     const answer = await server.post(`/tenants/${tenantId}/buckets/${bucketId}/files`, { json: { name: "a.txt" } })
 *     expect(answer.status).toBe(201)
 *
 * By default each server has empty metadata (SQLite in memory) and an empty blob directory, which `close` removes. It
 * listens on a free port of 127.0.0.1. Requests carry the key of the root account unless they set another one. Requests
 * are not retried, responses not cached, redirects not followed.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import * as Actor from "@holdfast/core/Actor"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as DamagedStreams from "@holdfast/core/conversions/DamagedStreams"
import * as FileHooks from "@holdfast/core/files/hooks/FileHooks"
import * as DamageReports from "@holdfast/core/integrity/DamageReports"
import * as IntegrityWorker from "@holdfast/core/integrity/IntegrityWorker"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as AesSecretBox from "@holdfast/core/secrets/AesSecretBox"
import * as Settings from "@holdfast/core/Settings"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as ConversionWorker from "@holdfast/core/conversions/worker/ConversionWorker"
import { SigningSecret } from "@holdfast/core/secrets/SigningSecret"
import type { ConversionWorkerOptions } from "@holdfast/core/conversions/worker/ConversionWorkerOptions"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as FsConversionWorkspace from "@holdfast/fs/FsConversionWorkspace"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Aead from "effect/crypto/Aead"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Fs from "node:fs/promises"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"
import * as ApiRoutes from "../../src/handlers/ApiRoutes.ts"
import * as DirectAnswers from "../../src/handlers/DirectAnswers.ts"
import * as PlaybackRoutes from "../../src/handlers/PlaybackRoutes.ts"
import * as RequestId from "../../src/problems/RequestId.ts"
import * as IntegrityLayer from "../../src/server/compose/IntegrityLayer.ts"
import * as NodeDigest from "../../src/server/compose/NodeDigest.ts"
import * as S3Listener from "../../src/server/listener/S3Listener.ts"
import * as DirectListener from "../../src/server/listener/DirectListener.ts"
import * as Requests from "./Requests.ts"

export interface Options {
  /** The repositories; by default SQLite in memory. */
  readonly metadata?: Layer.Layer<Holdfast.Metadata, unknown>
  /** The blob store; by default a temporary directory. */
  readonly blobs?: Layer.Layer<BlobStore, unknown>
  /** Settings that differ from the defaults, and from no rate of failed authentications. */
  readonly settings?: Partial<Settings.Settings>
  /** The hooks; by default none. */
  readonly hooks?: FileHooks.FileHooks
  /** The transcoder; by default none. */
  readonly transcoder?: Layer.Layer<Transcoder.Transcoder, unknown>
  /** Options of the conversion worker; by default there is no worker. */
  readonly worker?: Partial<ConversionWorkerOptions>
  /** Options of the integrity worker; by default there is no worker. */
  readonly integrity?: Partial<IntegrityWorker.IntegrityWorkerOptions>
  /** The secret that signs playback keys; by default the server generates one. */
  readonly signingSecret?: Uint8Array
  /** How long a playlist is waited for, where it differs from the default. */
  readonly playlistWait?: Duration.Duration
  /** Additional routes. */
  readonly routes?: Layer.Layer<never, never, HttpRouter.HttpRouter | Holdfast.Services | Holdfast.Ports>
}

/** The name of a role, as in `GET /roles`. */
export type RoleName = "Admin" | "Bucket Writer" | "Bucket Reader" | "File Writer" | "File Reader"

export interface TestServer extends Requests.Requests {
  /** URL of the server without a trailing slash: `http://127.0.0.1:41234`. */
  readonly url: string
  /** The temporary directory of the blobs. */
  readonly directory: string
  /** The key of the root account, which may create tenants. */
  readonly rootKey: string
  /** The lines that were logged so far. */
  readonly logs: ReadonlyArray<string>
  /** Returns how many requests the router has got: all but those that `DirectAnswers` has answered. */
  readonly routed: () => number
  /** Runs an effect with the services and the ports of core. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Holdfast.Services | Holdfast.Ports>) => Promise<A>
  /** Creates an account key, and the account if the address has none. */
  readonly makeAccountKey: (email: string) => Promise<string>
  /** Creates a tenant. The root account is its Admin. */
  readonly makeTenant: () => Promise<{ readonly tenantId: string }>
  /** Creates a bucket, in a new tenant unless one is given. */
  readonly makeBucket: (tenantId?: string) => Promise<{ readonly tenantId: string; readonly bucketId: string }>
  /** Creates a member with this role and a token for it. Returns the token's key. */
  readonly makeToken: (tenantId: string, role: RoleName) => Promise<string>
  /** Uploads a file with this content over HTTP. */
  readonly makeFile: (
    bucket: { readonly tenantId: string; readonly bucketId: string },
    content?: string | Uint8Array<ArrayBuffer>,
    description?: object
  ) => Promise<{ readonly id: string; readonly path: string }>
  /** Stops the server, closes the services and removes the temporary directory. */
  readonly close: () => Promise<void>
}

/** Collects log lines instead of printing them. */
const captureLogs = (lines: Array<string>) => {
  const format = Logger.formatLogFmt
  return Logger.layer([Logger.make((options) => void lines.push(format.log(options)))])
}

const secretBox = AesSecretBox.layer({ current: Redacted.make(new Uint8Array(32).fill(1)) }).pipe(
  Layer.provide(Aead.layerWebCrypto)
)

/** Starts a server. Rejects if it cannot listen. */
export const start = async (options: Options = {}): Promise<TestServer> => {
  const directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-http-"))
  const logs: Array<string> = []
  const node = createServer({ requestTimeout: 0, headersTimeout: 60_000 })
  const metadata = options.metadata ?? SqliteMetadata.layer({ file: ":memory:" })
  const blobs = options.blobs ?? FsBlobStore.layer({ directory })

  const transcoder = options.transcoder ?? Transcoder.layerNone
  const workspace = FsConversionWorkspace.layer({ directory: Path.join(directory, "conversions") })
  const worker =
    options.worker === undefined
      ? Layer.empty
      : ConversionWorker.layer({
          pollInterval: Duration.millis(20),
          publishInterval: Duration.millis(5),
          ...options.worker
        }).pipe(Layer.provide([workspace, IntegrityLayer.layerSourceCheck]))

  const integrity =
    options.integrity === undefined
      ? Layer.empty
      : IntegrityWorker.layer(options.integrity).pipe(
          Layer.provide(IntegrityLayer.services),
          Layer.provide(DamagedStreams.layer)
        )

  // All requests of the tests have one address, and many have keys that are not valid.
  const settings = Layer.succeed(Settings.Settings, {
    ...Settings.defaults,
    failedAuthenticationRate: "off",
    ...options.settings
  })
  const services = Layer.merge(worker, integrity).pipe(
    Layer.provideMerge(Holdfast.layer),
    Layer.provideMerge([metadata, blobs, transcoder, MirrorTarget.layerNone, secretBox]),
    Layer.provideMerge([SecureRandom.layerWebCrypto, NodeDigest.layer]),
    Layer.provide([
      Layer.succeed(
        SigningSecret,
        options.signingSecret === undefined ? undefined : Redacted.make(options.signingSecret)
      ),
      options.integrity === undefined ? Layer.empty : DamageReports.layer,
      FileHooks.layer(options.hooks ?? {}),
      settings
    ])
  )
  const routes = Layer.merge(ApiRoutes.layer, options.routes ?? Layer.empty)
  const app = HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: ApiRoutes.routerConfig
  }).pipe(
    Layer.provide(NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })),
    Layer.provideMerge(services),
    Layer.provide([
      options.playlistWait === undefined
        ? Layer.empty
        : Layer.succeed(PlaybackRoutes.PlaylistWait, options.playlistWait),
      captureLogs(logs),
      settings
    ])
  )
  const runtime = ManagedRuntime.make(app)
  await runtime.context()
  let routed = 0
  await runtime.runPromise(
    Effect.gen(function* () {
      const { capabilities } = yield* BlobStore
      const assignRequestId = yield* RequestId.makeAssigner
      const routers = node.listeners("request")
      const router: RequestListener = (request, response) => {
        routed++
        for (const listener of routers) Reflect.apply(listener, node, [request, response])
      }
      const find = capabilities.localFiles ? yield* DirectAnswers.make : () => undefined
      const observe = (request: IncomingMessage) => ({
        requestId: assignRequestId(request.headersDistinct[RequestId.header]?.[0]),
        clientAddress: request.socket.remoteAddress
      })
      const [context, scope] = [yield* Effect.context<never>(), yield* Scope.make()]
      node.removeAllListeners("request")
      const direct = yield* DirectListener.make({ find, router, observe, context, scope })
      const listener = S3Listener.make(Effect.succeed(direct), { path: "/s3", host: "s3.localhost" })
      const all = yield* Effect.provideService(listener, Scope.Scope, scope)
      node.on("request", all)
      const continuing = node.listeners("checkContinue")
      node.removeAllListeners("checkContinue")
      node.on("checkContinue", (request, response) => {
        if (request.url?.startsWith("/s3/") === true) return all(request, response)
        for (const listener of continuing) Reflect.apply(listener, node, [request, response])
      })
    })
  )
  const address = node.address()
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.")
  const url = `http://127.0.0.1:${address.port}`

  const makeAccountKey = (email: string) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { key } = yield* accounts.createKey(Actor.system, { email, name: "test" })
        return Redacted.value(key)
      })
    )
  const rootKey = await makeAccountKey("root@example.com")
  const requests = Requests.make(`${url}/api/v1`, rootKey)

  let count = 0
  const post = async (path: string, json: object) => {
    const answer = await requests.post(path, { json })
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { readonly id: string; readonly key?: string }
  }
  const makeTenant = async () => {
    const { id } = await post("/tenants", { name: "Acme", subdomain: `acme-${++count}` })
    return { tenantId: id }
  }

  return {
    ...requests,
    url,
    directory,
    rootKey,
    logs,
    routed: () => routed,
    run: (effect) => runtime.runPromise(effect),
    makeAccountKey,
    makeTenant,
    makeBucket: async (tenant) => {
      const tenantId = tenant ?? (await makeTenant()).tenantId
      const { id } = await post(`/tenants/${tenantId}/buckets`, { name: `bucket-${++count}` })
      return { tenantId, bucketId: id }
    },
    makeToken: async (tenantId, role) => {
      const user = { email: `member-${++count}@example.com` }
      const { id } = await post(`/tenants/${tenantId}/members`, { user, role: { name: role } })
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
      const { key } = await post(`/tenants/${tenantId}/tokens`, { name: role, member: { id }, expiresAt })
      if (key === undefined) throw new Error("The response has no key.")
      return key
    },
    makeFile: async ({ bucketId, tenantId }, content = "Hello", description = {}) => {
      const files = `/tenants/${tenantId}/buckets/${bucketId}/files`
      const form = new FormData()
      form.append("body", JSON.stringify({ name: `file-${++count}.txt`, ...description }))
      form.append("file", new Blob([content]))
      const answer = await requests.post(`${files}/upload`, { body: form })
      if (answer.status !== 201) throw new Error(`The upload answered ${answer.status}: ${await answer.text()}`)
      const { id } = (await answer.json()) as { readonly id: string }
      return { id, path: `${files}/${id}` }
    },
    close: async () => {
      node.closeAllConnections()
      await runtime.dispose()
      await Fs.rm(directory, { recursive: true, force: true })
    }
  }
}
