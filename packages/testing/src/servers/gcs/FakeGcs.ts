/**
 * A fake of Google Cloud Storage for tests: the JSON API on a port of the loopback interface, written after Google's
 * documentation, since there is no server of Google's to run. It keeps to the documentation where the adapters depend on
 * it, above all in what is visible when, and both checksums are computed from the bytes and held against what a client
 * announces. Google's own client is tested on it too. It is no proof of how the service itself behaves.
 *
 * It has: objects by multipart, media and resumable uploads, reads with ranges, lists with prefix, delimiter and pages,
 * PATCH, DELETE, rewrites in several calls, generations and preconditions, service accounts with a token endpoint that
 * verifies their signature, and the token of a machine's metadata server.
 *
 * It leaves out: versions of objects that were replaced, soft deletion, composite objects, access control lists, encryption
 * keys, holds and retention, `fields` (a resource is always whole), batches, notifications, the XML and gRPC APIs,
 * decompression, and limits of rate. What the documentation does not say is our guess: that a session whose bytes do not
 * match their checksum is gone, and the wording of most messages.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { freePort, type PortError } from "../FreePort.ts"
import * as Accounts from "./GcsAccounts.ts"
import * as Faults from "./GcsFaults.ts"
import * as Resource from "./GcsResource.ts"
import * as Router from "./GcsRouter.ts"
import * as State from "./GcsState.ts"

/** A request that arrived, by its head. */
export interface Received {
  readonly method: string
  /** As it was sent. */
  readonly url: string
  readonly headers: IncomingMessage["headers"]
}

export class FakeGcs extends Context.Service<
  FakeGcs,
  {
    /** Its URL, without a path. */
    readonly endpoint: string
    /** The JSON document of a service account that may do everything. */
    readonly credentials: Redacted.Redacted
    /** That of one that may do nothing. */
    readonly stranger: Redacted.Redacted
    readonly createBucket: (name: string) => Effect.Effect<void>
    /** An object's resource and bytes, past the API; undefined when there is none. */
    readonly object: (
      bucket: string,
      name: string
    ) => Effect.Effect<{ readonly resource: Readonly<Record<string, unknown>>; readonly bytes: Buffer } | undefined>
    /** The names of the objects whose resumable uploads are neither complete nor cancelled. */
    readonly openUploads: (bucket: string) => Effect.Effect<ReadonlyArray<string>>
    /** What arrived since this was last asked. */
    readonly received: Effect.Effect<ReadonlyArray<Received>>
    readonly fail: (plan: Faults.Plan) => Effect.Effect<void>
    /** Makes all tokens that were granted bad. */
    readonly revokeTokens: Effect.Effect<void>
    /** Ends every connection and answers no more; what it keeps stays. */
    readonly stop: Effect.Effect<void>
    /** Answers again, on the same port; nothing when it does. */
    readonly start: Effect.Effect<void>
  }
>()("@holdfast/testing/servers/gcs/FakeGcs") {}

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-gcs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const listen = (port: number, handler: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.callback<Server>((resume) => {
    const server = createServer(handler)
    server.once("error", (error) => resume(Effect.die(error)))
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

const close = (server: Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const make: Effect.Effect<FakeGcs["Service"], PortError, Scope.Scope> = Effect.gen(function* () {
  const state = State.make(yield* directory)
  const port = yield* freePort
  const endpoint = `http://127.0.0.1:${port}`
  const world: Router.World = { endpoint, accounts: Accounts.make(), state, rewrites: new Map() }
  const faults = Faults.make()
  let received: Array<Received> = []

  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    const { headers, method = "", url = "/" } = request
    received.push({ method, url, headers })
    const [path = "", query] = url.split("?", 2)
    const fault = faults.take(`${method} ${url}`)
    void Router.handle(world, { request, response, method, path, query: new URLSearchParams(query), fault })
  }

  let server: Server | undefined
  const start = Effect.suspend(() =>
    server === undefined ? Effect.map(listen(port, handler), (started) => void (server = started)) : Effect.void
  )
  const stop = Effect.suspend(() => {
    const running = server
    server = undefined
    return running === undefined ? Effect.void : close(running)
  })
  yield* Effect.addFinalizer(() => stop)
  yield* start

  const document = (account: Accounts.Account) => Redacted.make(Accounts.document(account, endpoint + Router.tokenPath))
  return {
    endpoint,
    credentials: document(world.accounts.owner),
    stranger: document(world.accounts.stranger),
    createBucket: (name) => Effect.sync(() => void state.buckets.set(name, new Map())),
    object: (bucket, name) =>
      Effect.sync(() => {
        const object = state.buckets.get(bucket)?.get(name)
        return object && { resource: Resource.of(bucket, object), bytes: readFileSync(object.path) }
      }),
    openUploads: (bucket) =>
      Effect.sync(() =>
        [...state.sessions.values()].flatMap((session) =>
          session.bucket === bucket && session.outcome === "open" ? [session.name] : []
        )
      ),
    received: Effect.sync(() => {
      const since = received
      received = []
      return since
    }),
    fail: (plan) => Effect.sync(() => faults.plan(plan)),
    revokeTokens: Effect.sync(() => world.accounts.tokens.clear()),
    start,
    stop
  }
})

/** A running service without buckets, for as long as the layer lives. */
export const layer: Layer.Layer<FakeGcs, PortError> = Layer.effect(FakeGcs, make)
