/**
 * A real server of Azure Blob Storage's protocol for tests: Azurite, with an account of its own, in a directory that is
 * gone afterwards.
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
import * as Process from "./AzuriteProcess.ts"
import { freePort } from "./FreePort.ts"

export class Azurite extends Context.Service<
  Azurite,
  {
    /** The URL of the account's blob service; the account's name stands in the path. */
    readonly endpoint: string
    readonly accountName: string
    /** Base64, as Azure gives it. */
    readonly accountKey: Redacted.Redacted
    /** Ends the server and cuts every connection to it; what it has taken stays. */
    readonly stop: Effect.Effect<void>
    /** Starts the server again, on the same port; nothing when it runs. */
    readonly start: Effect.Effect<void, Process.AzuriteError>
  }
>()("@holdfast/testing/servers/Azurite") {}

/** What is missing to run it: undefined when nothing is. */
export const missing: string | undefined = Process.missing

const accountName = "holdfasttest"
const accountKey = Buffer.from("a secret of thirty-two characters").toString("base64")

/** Removed with the scope. */
const directory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-azurite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const make: Effect.Effect<Azurite["Service"], Process.AzuriteError, Scope.Scope> = Effect.gen(function* () {
  const home = yield* directory
  const port = yield* Effect.mapError(freePort, ({ message }) => new Process.AzuriteError({ message }))
  let server: ChildProcess | undefined

  const end = (how: (server: ChildProcess) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      const running = server
      server = undefined
      return running === undefined ? Effect.void : how(running)
    })
  const start = Effect.suspend(() =>
    server === undefined
      ? Effect.map(Process.start({ directory: home, port, accountName, accountKey }), (started) => {
          server = started
        })
      : Effect.void
  )

  yield* Effect.acquireRelease(start, () => end(Process.kill))
  return {
    endpoint: `http://127.0.0.1:${port}/${accountName}`,
    accountName,
    accountKey: Redacted.make(accountKey),
    start,
    stop: end(Process.stop)
  }
})

/** A running server without containers, for as long as the layer lives. */
export const layer: Layer.Layer<Azurite, Process.AzuriteError> = Layer.effect(Azurite, make)
