/**
 * Azurite's blob service as a process.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** Azurite does not start. */
export class AzuriteError extends Data.TaggedError("AzuriteError")<{ readonly message: string }> {}

const require = createRequire(import.meta.url)

const find = (): string | undefined => {
  try {
    return require.resolve("azurite/dist/src/blob/main.js")
  } catch {
    return undefined
  }
}

const program = find()

/** The reason why this machine cannot run Azurite; undefined when it can. */
export const missing: string | undefined = program === undefined ? "azurite is not installed" : undefined

export interface Settings {
  /** Holds all data. */
  readonly directory: string
  readonly port: number
  readonly accountName: string
  /** Base64. */
  readonly accountKey: string
}

const argumentsOf = ({ directory, port }: Settings): ReadonlyArray<string> => {
  const options = ["--blobHost", "127.0.0.1", "--blobPort", String(port), "--location", directory]
  // Azurite does not know every API version that the service's own clients request.
  return [...options, "--skipApiVersionCheck", "--disableTelemetry", "--silent"]
}

const hasEnded = (server: ChildProcess): boolean => server.exitCode !== null || server.signalCode !== null

/** Runs `begin`, and waits until the process prints a text or ends. */
const untilPrinted = (server: ChildProcess, text: string, begin: () => void = () => {}): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (hasEnded(server)) return resume(Effect.void)
    let output = ""
    const listen = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes(text)) end()
    }
    const end = () => {
      server.stdout?.off("data", listen)
      server.off("exit", end)
      resume(Effect.void)
    }
    server.stdout?.on("data", listen)
    server.once("exit", end)
    begin()
  })

/** Starts the service, and waits until it accepts requests. It is killed when this process ends. */
export const start = (settings: Settings): Effect.Effect<ChildProcess, AzuriteError> =>
  Effect.gen(function* () {
    if (program === undefined) return yield* new AzuriteError({ message: "azurite is not installed" })
    const server = spawn(process.execPath, [program, ...argumentsOf(settings)], {
      cwd: settings.directory,
      env: { PATH: process.env.PATH, AZURITE_ACCOUNTS: `${settings.accountName}:${settings.accountKey}` },
      stdio: ["ignore", "pipe", "ignore"]
    })
    const kill = () => server.kill("SIGKILL")
    process.once("exit", kill)
    server.once("exit", () => process.off("exit", kill))
    yield* untilPrinted(server, "successfully listens")
    if (hasEnded(server)) return yield* new AzuriteError({ message: `azurite ended with ${server.exitCode}` })
    return server
  })

/**
 * Stops the service: lets it write its data, and then kills it, which cuts its connections. On its own it would wait
 * for the readers of open responses.
 */
export const stop = (server: ChildProcess): Effect.Effect<void> =>
  Effect.andThen(
    untilPrinted(server, "successfully closed", () => server.kill("SIGTERM")),
    kill(server)
  )

/** Kills the service, as a crash would. */
export const kill = (server: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (hasEnded(server)) return resume(Effect.void)
    server.once("exit", () => resume(Effect.void))
    server.kill("SIGKILL")
  })
