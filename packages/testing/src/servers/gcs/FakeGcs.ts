/**
 * A fake of Google Cloud Storage for tests: the JSON API on a port of the loopback interface. Google supplies no server
 * that could run here, so the fake follows Google's documentation, above all where the adapters depend on it: when an
 * object becomes visible, and that declared checksums are verified. It computes both checksums from the bytes.
 * Google's own client is tested on it as well. It does not prove how the service itself behaves.
 *
 * Implemented: multipart, media and resumable uploads, reads with ranges, listings with prefix, delimiter and pages,
 * PATCH, DELETE, rewrites in several calls, generations and preconditions, service accounts with a token endpoint that
 * verifies their signature, and the token of a machine's metadata server.
 *
 * Not implemented: versions of replaced objects, soft deletion, composite objects, access control lists, encryption
 * keys, holds and retention, `fields` (a resource is always complete), batches, notifications, the XML and gRPC APIs,
 * decompression, and rate limits. The documentation does not say what happens to a session whose bytes do not match
 * their checksum; the fake drops it. It does not specify most error messages either.
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
import * as Accounts from "./internal/GcsAccounts.ts"
import * as Faults from "./internal/GcsFaults.ts"
import * as Resource from "./internal/GcsResource.ts"
import * as Router from "./internal/GcsRouter.ts"
import * as State from "./internal/GcsState.ts"

/** The head of a request. */
export interface ReceivedRequest {
  readonly method: string
  /** As it was sent. */
  readonly url: string
  readonly headers: IncomingMessage["headers"]
}

/** A running fake. */
export class FakeGcs extends Context.Service<
  FakeGcs,
  {
    /** The service's URL, without a path. */
    readonly endpoint: string
    /** The JSON document of a service account with all permissions. */
    readonly credentials: Redacted.Redacted
    /** The JSON document of a service account without permissions. */
    readonly unprivilegedCredentials: Redacted.Redacted
    readonly createBucket: (name: string) => Effect.Effect<void>
    /** Returns an object's resource and bytes without the API; undefined for a missing object. */
    readonly findObject: (
      bucket: string,
      name: string
    ) => Effect.Effect<{ readonly resource: Readonly<Record<string, unknown>>; readonly bytes: Buffer } | undefined>
    /** Returns the names of objects whose resumable uploads are neither complete nor cancelled. */
    readonly pendingUploads: (bucket: string) => Effect.Effect<ReadonlyArray<string>>
    /** Returns the requests since its last call. */
    readonly takeRequests: Effect.Effect<ReadonlyArray<ReceivedRequest>>
    readonly injectFault: (plan: Faults.FaultPlan) => Effect.Effect<void>
    /** Revokes all tokens. */
    readonly revokeTokens: Effect.Effect<void>
    /** Closes every connection and stops serving. Keeps the data. */
    readonly stop: Effect.Effect<void>
    /** Serves again, on the same port. Does nothing while it serves. */
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
  const service: Router.Service = { endpoint, accounts: Accounts.make(), state, rewrites: new Map() }
  const faults = Faults.make()
  let requests: Array<ReceivedRequest> = []

  const handler = (message: IncomingMessage, response: ServerResponse): void => {
    const { headers, method = "", url = "/" } = message
    requests.push({ method, url, headers })
    const [path = "", query] = url.split("?", 2)
    const fault = faults.next(`${method} ${url}`)
    void Router.handle(service, { message, response, method, path, query: new URLSearchParams(query), fault })
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

  const document = (account: Accounts.Account) =>
    Redacted.make(Accounts.toDocument(account, endpoint + Router.tokenPath))
  return {
    endpoint,
    credentials: document(service.accounts.owner),
    unprivilegedCredentials: document(service.accounts.unprivileged),
    createBucket: (name) => Effect.sync(() => void state.buckets.set(name, new Map())),
    findObject: (bucket, name) =>
      Effect.sync(() => {
        const object = state.buckets.get(bucket)?.get(name)
        return object && { resource: Resource.toJson(bucket, object), bytes: readFileSync(object.path) }
      }),
    pendingUploads: (bucket) =>
      Effect.sync(() =>
        [...state.sessions.values()].flatMap((session) =>
          session.bucket === bucket && session.outcome === "open" ? [session.name] : []
        )
      ),
    takeRequests: Effect.sync(() => {
      const taken = requests
      requests = []
      return taken
    }),
    injectFault: (plan) => Effect.sync(() => faults.inject(plan)),
    revokeTokens: Effect.sync(() => service.accounts.tokens.clear()),
    start,
    stop
  }
})

/** Runs a service without buckets while the layer is in use. */
export const layer: Layer.Layer<FakeGcs, PortError> = Layer.effect(FakeGcs, make)
