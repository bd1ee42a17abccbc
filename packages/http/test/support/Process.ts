/**
 * Runs the command line `holdfast` as a process, for black-box tests.
 *
 * When a test ends, its processes are killed and its directories removed. Environment variables that could configure
 * Holdfast are not passed on.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { inject, onTestFinished } from "vitest"

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A program that runs the command, with its own arguments, such as strace. Signals go to both. */
  readonly wrapper?: ReadonlyArray<string>
}

export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Running {
  readonly child: ChildProcess
  /** Sends a signal to the process; does nothing when it has exited. */
  readonly kill: (signal: NodeJS.Signals) => void
  /** Returns what the process has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves when the process has exited and its output is complete. */
  readonly exited: Promise<ProcessExit>
  /** Waits until standard output matches a pattern; rejects if the process exits before. */
  readonly untilPrinted: (pattern: RegExp) => Promise<RegExpExecArray>
}

export interface Finished extends ProcessExit {
  readonly stdout: string
  readonly stderr: string
}

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:HOLDFAST_|OTEL_|DATABASE_URL|PORT$|HOST$|NODE_OPTIONS)/.test(name)
    )
  )

/** The environment of a service that converts, as it does by default, but encodes with the preset that takes the least time. */
export const converting = { HOLDFAST_CONVERSIONS: "1", HOLDFAST_VIDEO_PRESET: "ultrafast" }

/** Makes a temporary directory, which is removed when the test ends. */
export const makeDirectory = async (): Promise<string> => {
  const path = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-cli-"))
  onTestFinished(() => Fs.rm(path, { recursive: true, force: true }))
  return path
}

/** Starts a command. */
export const start = (args: ReadonlyArray<string>, options: Options = {}): Running => {
  const bundle = inject("serviceBundle")
  const command = [process.execPath, Path.join(bundle, "main.js"), ...args]
  const [program = "", ...rest] = [...(options.wrapper ?? []), ...command]
  const hasGroup = options.wrapper !== undefined
  const child = spawn(program, rest, {
    cwd: options.cwd,
    detached: hasGroup,
    env: {
      ...environment(),
      // The cache of compiled modules.
      XDG_CACHE_HOME: bundle,
      // On a machine that runs many tests at once, ffmpeg would get too little of a processor for a test's timeout.
      HOLDFAST_CONVERSION_NICENESS: "0",
      // A service that converts runs ffmpeg several times when it starts: a fifth of the processor time of the start.
      HOLDFAST_CONVERSIONS: "0",
      HOLDFAST_DRAIN_DELAY: "0",
      ...options.env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = once(child, "close").then(([code, signal]): ProcessExit => ({ code, signal }))
  const kill = (signal: NodeJS.Signals): void => {
    if (!hasGroup) child.kill(signal)
    else if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal)
  }
  onTestFinished(async () => {
    kill("SIGKILL")
    await ended
  })
  let [out, error] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text))
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const resolveIfFound = () => {
        const found = pattern.exec(out)
        if (found !== null) resolve(found)
      }
      child.stdout.on("data", resolveIfFound)
      void ended.then(() => reject(new Error(`The process exited before ${pattern}: ${out}${error}`)))
      resolveIfFound()
    })
  return { child, kill, exited: ended, untilPrinted: printed, stdout: () => out, stderr: () => error }
}

/** Returns the lines that are for the user: the service logs JSON beside them. */
export const withoutLog = (stderr: string): string => stderr.replace(/^\{.*\}\n/gm, "")

/** Runs a command until it exits. */
export const run = async (args: ReadonlyArray<string>, options: Options = {}): Promise<Finished> => {
  const running = start(args, options)
  return { ...(await running.exited), stdout: running.stdout(), stderr: running.stderr() }
}

export interface Service extends Running {
  /** The URL that the service listens on. */
  readonly url: string
  readonly data: string
  /** Returns the key that the first start printed. */
  readonly key: () => string
  /** Sends a signal and waits until the process has exited. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<ProcessExit>
}

export interface ServiceOptions extends Options {
  /** The data directory; by default a new one. */
  readonly data?: string
  readonly args?: ReadonlyArray<string>
}

/** Starts the service on a free port, and waits until it listens. */
export const serve = async (options: ServiceOptions = {}): Promise<Service> => {
  const data = options.data ?? (await makeDirectory())
  const running = start(["serve", "--port", "0", "--data-dir", data, ...(options.args ?? [])], options)
  const [, url = ""] = await running.untilPrinted(/listens on (http:\/\/[^\s"]+)/)
  return {
    ...running,
    url,
    data,
    key: () => {
      const [key] = /hf_[\w-]{49}/.exec(running.stdout()) ?? []
      if (key === undefined) throw new Error("The service printed no key.")
      return key
    },
    stop: (signal = "SIGTERM") => {
      running.kill(signal)
      return running.exited
    }
  }
}
