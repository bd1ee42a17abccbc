/**
 * A container of the image, run as docs/deployment.md shows, and the requests to the service in it.
 */
import { createClient, type Client } from "../../packages/http/src/client/index.ts"
import type { Engine } from "./Engine.ts"

const ports = { api: 8080, operator: 8081 }

export interface Container {
  /** Runs a program in the container and returns its output. */
  readonly execute: (...command: ReadonlyArray<string>) => Promise<string>
  /** Returns a client with the first key, which the log has. Its address changes when the container is started again. */
  readonly client: () => Promise<Client>
  /** Runs the health check of the image until it succeeds. */
  readonly waitUntilHealthy: () => Promise<void>
  /** Sends SIGTERM, waits for the end of the process and returns its exit status. */
  readonly stop: () => Promise<number>
  readonly start: () => Promise<void>
  readonly remove: () => Promise<void>
}

interface HealthCheck {
  readonly Test: ReadonlyArray<string>
}

/** Docker has the health check in `Config`, Podman beside it. */
interface Settings {
  readonly Config: { readonly Healthcheck?: HealthCheck }
  readonly Healthcheck?: HealthCheck
}

/** Returns the command of the image's health check. */
const healthCheckOf = async ({ run }: Engine, image: string): Promise<ReadonlyArray<string>> => {
  const [settings]: ReadonlyArray<Settings> = JSON.parse(await run("image", "inspect", image))
  const [kind, ...command] = (settings?.Config.Healthcheck ?? settings?.Healthcheck)?.Test ?? []
  if (kind !== "CMD") throw new Error(`${image} has no health check that runs without a shell.`)
  return command
}

/** Starts a container with a read-only root file system and without any right of the root user. */
export const run = async (engine: Engine, image: string): Promise<Container> => {
  const healthCheck = await healthCheckOf(engine, image)
  const confined = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
  const published = Object.values(ports).flatMap((port) => ["--publish", `127.0.0.1::${port}`])
  const environment = ["--env", "HOLDFAST_FFMPEG_SANDBOX=off"]
  const output = await engine.run("run", "--detach", ...confined, ...published, ...environment, image)
  const id = output.trim()
  const execute = (...command: ReadonlyArray<string>) => engine.run("exec", id, ...command)
  const waitUntilHealthy = async (deadline: number): Promise<void> => {
    try {
      await execute(...healthCheck)
    } catch (error) {
      if (Date.now() > deadline) throw new Error(await engine.run("logs", id), { cause: error })
      return waitUntilHealthy(deadline)
    }
  }
  let apiKey: string | undefined

  return {
    execute,

    client: async () => {
      apiKey ??= /\bhf_[\w-]{49}/.exec(await engine.run("logs", id))?.[0] ?? ""
      const address = await engine.run("port", id, `${ports.api}/tcp`)
      return createClient({ url: `http://${address.trim()}`, apiKey })
    },

    waitUntilHealthy: () => waitUntilHealthy(Date.now() + 30_000),

    stop: async () => {
      await engine.run("stop", "--time", "60", id)
      return Number(await engine.run("inspect", "--format", "{{.State.ExitCode}}", id))
    },

    start: async () => void (await engine.run("start", id)),

    remove: async () => void (await engine.run("rm", "--force", "--volumes", id))
  }
}
