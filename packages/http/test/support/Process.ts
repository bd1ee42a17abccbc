/**
 * The real command line `holdfast` as a process, for black-box tests.
 *
 * Whatever a test starts is ended, and its directory removed, when the test ends; no variable of the environment that
 * could be meant for Holdfast is passed on.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Running {
  readonly child: ChildProcess
  /** What it wrote so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** How it ended. */
  readonly ended: Promise<Ended>
  /** Waits until a pattern is in standard output; fails when the process ends before. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
}

export interface Finished extends Ended {
  readonly stdout: string
  readonly stderr: string
}

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:HOLDFAST_|OTEL_|DATABASE_URL|PORT$|HOST$|NODE_OPTIONS)/.test(name)
    )
  )

/** A temporary directory, removed when the test ends. */
export const directory = async (): Promise<string> => {
  const path = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-cli-"))
  onTestFinished(() => Fs.rm(path, { recursive: true, force: true }))
  return path
}

/** Starts a command. */
export const start = (args: ReadonlyArray<string>, options: Options = {}): Running => {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.cwd,
    env: { ...environment(), ...options.env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = once(child, "close").then(([code, signal]): Ended => ({ code, signal }))
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
  })
  let [out, error] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text))
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(out)
        if (found !== null) resolve(found)
      }
      child.stdout.on("data", look)
      void ended.then(() => reject(new Error(`It ended without ${pattern}: ${out}${error}`)))
      look()
    })
  return { child, ended, printed, stdout: () => out, stderr: () => error }
}

/** Runs a command to its end. */
export const run = async (args: ReadonlyArray<string>, options: Options = {}): Promise<Finished> => {
  const running = start(args, options)
  return { ...(await running.ended), stdout: running.stdout(), stderr: running.stderr() }
}

export interface Service extends Running {
  /** Where it listens. */
  readonly url: string
  readonly data: string
  /** The key that it showed at its first start. */
  readonly key: () => string
  /** Tells it to stop, and waits. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<Ended>
}

export interface ServiceOptions extends Options {
  /** The data directory; a fresh one when absent. */
  readonly data?: string
  readonly args?: ReadonlyArray<string>
}

/** Starts the service on a free port, and waits until it listens. */
export const serve = async (options: ServiceOptions = {}): Promise<Service> => {
  const data = options.data ?? (await directory())
  const running = start(["serve", "--port", "0", "--data-dir", data, ...(options.args ?? [])], options)
  const [, url = ""] = await running.printed(/listens on (http:\/\/[^\s"]+)/)
  return {
    ...running,
    url,
    data,
    key: () => {
      const [key] = /hf_[\w-]{49}/.exec(running.stdout()) ?? []
      if (key === undefined) throw new Error("No key was shown.")
      return key
    },
    stop: (signal = "SIGTERM") => {
      running.child.kill(signal)
      return running.ended
    }
  }
}
