import { assert } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, readdirSync, symlinkSync, utimesSync } from "node:fs"
import { join } from "node:path"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Files from "./support/Files.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

const converter = join(import.meta.dirname, "programs", "convert.ts")

/** Starts a Node process that converts a file into a directory. Succeeds when ffmpeg reports progress. */
const start = ({
  options,
  output,
  path,
  temporary
}: {
  readonly output: string
  readonly temporary: string
  readonly path: string | undefined
  readonly options: FfmpegTranscoder.Options
}) =>
  Effect.callback<ChildProcess, string>((resume) => {
    const child = spawn(process.execPath, [converter, Samples.path("mpeg4-480.mkv"), output, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: temporary, ...(path === undefined ? {} : { PATH: path }) }
    })
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("Progressed")) resume(Effect.succeed(child))
    })
    child.once("exit", (code) => resume(Effect.fail(`the process exited with ${code} before ffmpeg reported progress`)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Waits until no process works in a directory. */
const awaitNoProcess = (output: string) =>
  Effect.repeat(
    Effect.sync(() => Files.processesIn(output).length === 0),
    { until: (isGone) => isGone, schedule: Schedule.spaced("10 millis") }
  )

/** Makes a directory for PATH with all required programs except `setpriv`. */
const pathWithoutSetpriv = Effect.map(directory, (path) => {
  for (const [name, command] of [
    ["ffmpeg", Tools.ffmpeg],
    ["ffprobe", Tools.ffprobe],
    ["nice", "nice"]
  ] as const) {
    symlinkSync(Tools.run("/bin/sh", ["-c", 'command -v "$1"', "sh", command]).stdout.trim(), `${path}/${name}`)
  }
  return path
})

const setpriv = Requires.command("setpriv", "--pdeathsig", "KILL", "true")
const bubblewrap = Requires.command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true")
const root = process.getuid?.() === 0 ? undefined : "the tests do not run as root"
const user = { uid: 65_534, gid: 65_534 }

interface Case {
  readonly guard: string
  readonly options: FfmpegTranscoder.Options
  readonly path?: typeof pathWithoutSetpriv
  readonly lacking?: string | undefined
}

const cases: ReadonlyArray<Case> = [
  { guard: "the kernel", options: { sandbox: "off" }, lacking: setpriv },
  { guard: "bubblewrap", options: { sandbox: "required" }, lacking: Requires.firstMissing(setpriv, bubblewrap) },
  {
    guard: "bubblewrap, as another user",
    options: { sandbox: "required", user },
    lacking: Requires.firstMissing(setpriv, bubblewrap, root)
  },
  {
    guard: "the kernel, as another user",
    options: { sandbox: "off", user },
    lacking: Requires.firstMissing(setpriv, root)
  },
  { guard: "a watchdog", options: {}, path: pathWithoutSetpriv }
]

const linux = process.platform === "linux" ? undefined : "this system has no /proc"

for (const { guard, lacking, options, path } of cases) {
  Requires.requires(Requires.firstMissing(linux, Tools.missing, lacking)).live(
    `convert: parent process is killed → ffmpeg is killed, too, its directory is removed a day later (by ${guard})`,
    () =>
      Effect.gen(function* () {
        const [output, temporary] = [yield* directory, yield* directory]
        // ffmpeg may run as another user.
        chmodSync(temporary, 0o755)
        const parent = yield* start({ output, temporary, path: path === undefined ? undefined : yield* path, options })
        const before = Files.processesIn(output)
        assert.isNotEmpty(before)
        // Also while it is suspended. A stopped watchdog could not do its work, so that there ffmpeg is not suspended.
        if (path === undefined) for (const id of before) process.kill(id, "SIGSTOP")
        const exit = once(parent, "exit")
        parent.kill("SIGKILL")
        yield* Effect.promise(() => exit)
        yield* awaitNoProcess(output)
        const build = Effect.scoped(Layer.build(FfmpegTranscoder.layer({ temporaryDirectory: temporary })))
        yield* build
        const [abandoned = "none", ...others] = readdirSync(temporary)
        assert.deepStrictEqual([abandoned.startsWith("holdfast-ffmpeg-"), others], [true, []])
        const yesterday = Date.now() / 1000 - 86_400
        utimesSync(join(temporary, abandoned), yesterday, yesterday)
        yield* build
        assert.deepStrictEqual(readdirSync(temporary), [])
      }),
    60_000
  )
}
