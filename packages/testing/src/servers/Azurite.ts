/**
 * A server of Azure Blob Storage's protocol for tests: Azurite, Microsoft's emulator, with one account, in a temporary
 * directory.
 */
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Process from "./internal/AzuriteProcess.ts"
import { freePort } from "./FreePort.ts"

/** A running server. */
export class Azurite extends Context.Service<
  Azurite,
  {
    /** The URL of the account's blob service. The account's name is part of the path. */
    readonly endpoint: string
    readonly accountName: string
    /** Base64, as Azure's keys are. */
    readonly accountKey: Redacted.Redacted
    /** Stops the server and cuts its connections. It keeps its data. */
    readonly stop: Effect.Effect<void>
    /** Starts the server again, on the same port. Does nothing while it runs. */
    readonly start: Effect.Effect<void, Process.AzuriteError>
  }
>()("@holdfast/testing/servers/Azurite") {}

/** The reason why this machine cannot run Azurite; undefined when it can. */
export const missing: string | undefined = Process.missing

const accountName = "holdfasttest"
const accountKey = Buffer.from("a secret of thirty-two characters").toString("base64")

/** A temporary directory, removed with the scope. */
const directory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-azurite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const make: Effect.Effect<Azurite["Service"], Process.AzuriteError, Scope.Scope> = Effect.gen(function* () {
  const home = yield* directory
  const port = yield* Effect.mapError(freePort, ({ message }) => new Process.AzuriteError({ message }))
  let server: ChildProcess | undefined

  const endBy = (terminate: (server: ChildProcess) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      const running = server
      server = undefined
      return running === undefined ? Effect.void : terminate(running)
    })
  const start = Effect.suspend(() =>
    server === undefined
      ? Effect.map(Process.start({ directory: home, port, accountName, accountKey }), (started) => {
          server = started
        })
      : Effect.void
  )

  yield* Effect.acquireRelease(start, () => endBy(Process.kill))
  return {
    endpoint: `http://127.0.0.1:${port}/${accountName}`,
    accountName,
    accountKey: Redacted.make(accountKey),
    start,
    stop: endBy(Process.stop)
  }
})

/** Runs a server without containers while the layer is in use. */
export const layer: Layer.Layer<Azurite, Process.AzuriteError> = Layer.effect(Azurite, make)
