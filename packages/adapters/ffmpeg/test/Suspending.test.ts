import { assert, describe, it, layer, vi } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import { awaitActive } from "../src/internal/Suspending.ts"
import * as Files from "./support/Files.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe("awaitActive", () => {
  it.effect("run is suspended meanwhile → waits for the time without the suspension", () =>
    Effect.gen(function* () {
      const suspended = yield* SubscriptionRef.make(false)
      const waiting = yield* Effect.forkChild(awaitActive(suspended, Duration.seconds(10)), { startImmediately: true })
      yield* TestClock.adjust("6 seconds")
      yield* SubscriptionRef.set(suspended, true)
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(waiting.pollUnsafe())
      yield* SubscriptionRef.set(suspended, false)
      yield* TestClock.adjust("3 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(waiting)
    })
  )
})

/** Returns the state letters of the processes that work in a directory, from /proc. */
const states = (output: string): ReadonlyArray<string> =>
  Files.processesIn(output).flatMap((id) => /\) (\w)/.exec(readFileSync(`/proc/${id}/stat`, "latin1"))?.[1] ?? [])

/** Fails with the states of the processes if this takes too long. */
const inTime = <A, E, R>(output: string, self: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(self, {
    duration: "60 seconds",
    orElse: () => Effect.sync(() => assert.fail(`states of the processes: ${states(output).join(" ")}`))
  })

/** Waits until the states of a conversion's processes are right. Fails if it ends before. */
const untilStates = (
  output: string,
  run: Fiber.Fiber<unknown, unknown>,
  areRight: (found: ReadonlyArray<string>) => boolean
) =>
  Effect.sync(() => {
    assert.isUndefined(run.pollUnsafe(), "the conversion has ended")
    return states(output)
  }).pipe(Effect.repeat({ until: areRight, schedule: Schedule.spaced("10 millis") }), (waiting) =>
    inTime(output, waiting)
  )

/** A process that waits until its child runs a program (vfork) is in the state D while that child is stopped. */
const areStopped = (found: ReadonlyArray<string>): boolean =>
  found.includes("T") && found.every((state) => state === "T" || state === "D")

const linux = process.platform === "linux" ? undefined : "this system has no /proc"
const missing = Requires.firstMissing(linux, Tools.missing, Requires.command("setpriv", "--pdeathsig", "KILL", "true"))

Requires.requires(missing).describe("suspended conversion", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "slow" }), { excludeTestServices: true, timeout: "60 seconds" })(
    (it) => {
      const start = Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const input = Samples.path("mpeg4-480.mkv")
        const media = yield* transcoder.probe({ input })
        const output = yield* directory
        const suspended = yield* SubscriptionRef.make(false)
        const events = transcoder.convert({ input, media, output, format: "hls", suspended })
        const run = yield* Effect.forkChild(Stream.runCollect(events), { startImmediately: true })
        yield* untilStates(output, run, (found) => found.length > 0)
        yield* SubscriptionRef.set(suspended, true)
        yield* untilStates(output, run, areStopped)
        return { output, run, suspended }
      })

      it.effect("ffmpeg is stopped; resumed → the conversion is complete", () =>
        Effect.gen(function* () {
          const { output, run, suspended } = yield* start
          yield* SubscriptionRef.set(suspended, false)
          const events = yield* inTime(output, Fiber.join(run))
          assert.strictEqual(events.at(-1)?._tag, "Finished")
          assert.include(readFileSync(`${output}/480p.m3u8`, "utf8"), "#EXT-X-ENDLIST")
        })
      )

      it.effect("interrupted → no process is left", () =>
        Effect.gen(function* () {
          const { output, run } = yield* start
          yield* Fiber.interrupt(run)
          assert.deepStrictEqual(Files.processesIn(output), [])
        })
      )
    }
  )
})
