/**
 * Probes a file as the first process of a PID namespace, to which the kernel gives orphans. Prints the names of the processes
 * that are left.
 */
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { readdirSync, readFileSync } from "node:fs"
import * as FfmpegTranscoder from "../../src/FfmpegTranscoder.ts"

const [input = "", temporaryDirectory] = process.argv.slice(2)

await Effect.flatMap(Transcoder, ({ probe }) => probe({ input })).pipe(
  Effect.provide([FfmpegTranscoder.layer({ niceness: 0, sandbox: "required", temporaryDirectory }), Logger.layer([])]),
  Effect.runPromise
)

const left = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
process.stdout.write(JSON.stringify(left.map((id) => readFileSync(`/proc/${id}/comm`, "utf8").trim())))
