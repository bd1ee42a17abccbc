/**
 * Videos that the installed ffmpeg draws, and ffmpeg itself as what conversions are measured against.
 */
import { spawn, spawnSync } from "node:child_process"
import * as Effect from "effect/Effect"
import { BenchFailure } from "./BenchFailure.ts"
import * as CpuMeter from "./CpuMeter.ts"
import type { Sample } from "./Measure.ts"

const failed = (message: string) => new BenchFailure({ message: `ffmpeg: ${message}` })

/** Fails where there is no ffmpeg. */
export const check: Effect.Effect<void, BenchFailure> = Effect.suspend(() =>
  spawnSync("ffmpeg", ["-version"]).status === 0 ? Effect.void : Effect.fail(failed("it is not installed"))
)

/** Runs ffmpeg to its end, in a directory. */
export const ffmpeg = (directory: string, args: ReadonlyArray<string>): Effect.Effect<void, BenchFailure> =>
  Effect.callback<void, BenchFailure>((resume) => {
    const child = spawn("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args], {
      cwd: directory,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let words = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-1000)))
    child.once("error", (cause) => resume(Effect.fail(failed(cause.message))))
    child.once("close", (code) => resume(code === 0 ? Effect.void : Effect.fail(failed(`${code} ${words}`))))
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** What one run of ffmpeg takes. */
export const measured = (directory: string, args: ReadonlyArray<string>): Effect.Effect<Sample, BenchFailure> =>
  Effect.gen(function* () {
    const before = yield* CpuMeter.ofEnded(process.pid)
    const begun = performance.now()
    yield* ffmpeg(directory, args)
    const wallMs = performance.now() - begun
    return { cpuMs: ((yield* CpuMeter.ofEnded(process.pid)) - before) * 1000, databaseMs: 0, wallMs }
  })

const drawn = (path: string, size: string, seconds: number, codecs: string): Effect.Effect<void, BenchFailure> => {
  const picture = `-f lavfi -i testsrc2=s=${size}:r=25:d=${seconds}`
  const sound = `-f lavfi -i sine=f=440:r=48000:d=${seconds}`
  return ffmpeg("/", [...`${picture} ${sound} ${codecs}`.split(" "), path])
}

/** What no player takes: it has to be encoded anew. */
export const foreign = (path: string, seconds: number): Effect.Effect<void, BenchFailure> =>
  drawn(path, "1280x720", seconds, "-c:v mpeg4 -q:v 5 -c:a ac3")

/** What every player takes: H.264 with a keyframe every two seconds, and AAC; the index stands at the end. */
export const common = (path: string, seconds: number): Effect.Effect<void, BenchFailure> => {
  const picture = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 50 -b:v 1M -maxrate 1M -bufsize 2M"
  return drawn(path, "640x360", seconds, `${picture} -c:a aac`)
}

/** The same video several times in a row. */
export const repeated = (from: string, to: string, times: number): Effect.Effect<void, BenchFailure> =>
  ffmpeg("/", ["-stream_loop", String(times - 1), "-i", from, "-c", "copy", to])
