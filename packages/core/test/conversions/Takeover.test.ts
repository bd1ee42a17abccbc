import { describe, expect, it } from "@effect/vitest"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { Streams } from "@holdfast/core/playback/Streams"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import process from "node:process"
import * as Services from "./support/Services.ts"
import { blobsLeft, lasting, reached, record, startWorker, video } from "./support/Setup.ts"

/** Runs the program until it prints something, and kills it. */
const killHalfway = (args: ReadonlyArray<string>) =>
  Effect.callback<NodeJS.Signals | null>((resume) => {
    const program = Path.join(import.meta.dirname, "..", "programs", "convert.ts")
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] })
    child.stdout.once("data", () => child.kill("SIGKILL"))
    child.once("close", (_, signal) => resume(Effect.succeed(signal)))
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

describe("process is killed while it converts", () => {
  it.live("next process → serves what was published, converts again, removes the workspace", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* Services.temporary
        const open = <A, E, R>(self: Effect.Effect<A, E, R>) =>
          Effect.scoped(Effect.provide(self, Services.inDirectory(directory)))

        const { actor, ref } = yield* open(
          Effect.gen(function* () {
            const made = yield* video(FakeMedia.make(lasting(40)))
            yield* (yield* Conversions).request(made.actor, made.ref, "hls")
            return made
          })
        )
        expect(yield* killHalfway([directory, ref.tenantId, ref.bucketId, ref.fileId])).toBe("SIGKILL")
        const work = Path.join(directory, "work")
        expect(Fs.readdirSync(work)).toHaveLength(1)

        yield* open(
          Effect.gen(function* () {
            expect(Fs.readdirSync(work)).toEqual([])
            const streams = yield* Streams
            expect(yield* record(actor, ref)).toMatchObject({ state: "RUNNING", progress: 0.5 })
            const early = yield* streams.open(actor, ref, "hls", "index4.ts")
            expect(early._tag === "Segment" && (yield* Stream.runCollect(early.read())).length).toBeGreaterThan(0)
            yield* startWorker()
            yield* reached(actor, ref, "READY")
            expect(yield* streams.open(actor, ref, "hls", "index9.ts")).toMatchObject({ _tag: "Segment" })
            expect(yield* blobsLeft).toBe(12)
          })
        )
      })
    )
  )
})
