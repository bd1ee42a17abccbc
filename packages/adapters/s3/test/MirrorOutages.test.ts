/**
 * Whatever befalls the target or the way there: the mirror says so, and in the end the target is the bucket.
 */
import { assert, layer, vi } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorChanges from "@holdfast/testing/mirrors/MirrorChanges"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Mirrored from "./support/Mirrored.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024
const { getRecord, startWorker, pollUntil, upload } = MirrorHarness

const failing = (mirrored: Mirrored.Mirrored) => pollUntil(getRecord(mirrored.ref), ({ state }) => state === "FAILING")

requires(CephRgw.missing).describe("a mirror to Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("catches up after the target was down", () =>
      Effect.gen(function* () {
        const gateway = yield* CephRgw.CephRgw
        const mirrored = yield* Mirrored.scene()
        yield* MirrorChanges.run(mirrored.bucket, 1, 60, 100_000)
        yield* gateway.stop
        yield* MirrorChanges.run(mirrored.bucket, 2, 200, 100_000)
        const { stats } = yield* failing(mirrored)
        assert.isAbove(stats.pending, 0)
        assert.include(stats.lastError, "cannot be reached")
        yield* gateway.start
        yield* Mirrored.converge(mirrored)
        assert.strictEqual((yield* getRecord(mirrored.ref)).state, "ACTIVE")
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services()))
    )

    it.effect("gets every file over a line that is slow and is cut again and again", () =>
      Effect.gen(function* () {
        const { endpoint } = yield* CephRgw.CephRgw
        const { line, ...mirrored } = yield* Mirrored.overLine(yield* Fixtures.bucket(), endpoint)
        yield* startWorker({ concurrency: 4 })
        yield* line.throttle(8 * mebibyte)
        yield* MirrorChanges.run(mirrored.bucket, 3, 20, 2 * mebibyte)
        yield* line.resume
        const changing = yield* Effect.forkChild(MirrorChanges.run(mirrored.bucket, 4, 60, 12 * mebibyte))
        // In the head of a request, between two, in the midst of a part, after some parts.
        for (const bytes of [1, 700, 5000, 300_000, 3 * mebibyte, 100, 7 * mebibyte, 20_000])
          yield* line.cutAfter(bytes)
        yield* Fiber.join(changing)
        yield* Mirrored.converge(mirrored)
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services({ maxAttempts: 1 })))
    )

    it.effect("gives up requests over a line on which nothing moves, and makes them again", () =>
      Effect.gen(function* () {
        const { endpoint } = yield* CephRgw.CephRgw
        const { line, ...mirrored } = yield* Mirrored.overLine(yield* Fixtures.bucket(), endpoint)
        yield* startWorker()
        yield* upload(mirrored.bucket, "before", "x")
        yield* Mirrored.converge(mirrored)
        yield* line.stall
        yield* MirrorChanges.run(mirrored.bucket, 5, 50, 1000)
        yield* failing(mirrored)
        yield* line.resume
        yield* Mirrored.converge(mirrored)
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services({ idleTimeout: "200 millis" })))
    )

    it.effect("is not delayed by another mirror whose target hangs, also with many files to copy", () =>
      Effect.gen(function* () {
        const { endpoint } = yield* CephRgw.CephRgw
        const bucket = yield* Fixtures.bucket()
        const { line, ...hanging } = yield* Mirrored.overLine(bucket, endpoint)
        const good = yield* Mirrored.mirror(bucket)
        yield* line.stall
        yield* startWorker({ concurrency: 8, slotsPerMirror: 6 })
        yield* Effect.forEach(Array.from({ length: 100 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
        yield* Mirrored.converge(good)
        assert.deepInclude((yield* getRecord(hanging.ref)).stats, { pending: 100, copied: 0 })
        yield* line.resume
        yield* Mirrored.converge(hanging)
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services({ idleTimeout: "10 minutes" })))
    )

    it.effect("catches up with another key after its own was refused", () =>
      Effect.gen(function* () {
        const mirrors = yield* Mirrors
        const mirrored = yield* Mirrored.scene()
        const change = (secretAccessKey: Redacted.Redacted, verify: boolean) =>
          mirrors.update(Actor.system, mirrored.ref, { secretAccessKey, verify })
        yield* change(Redacted.make("nobody knows it"), false)
        yield* MirrorChanges.run(mirrored.bucket, 6, 50, 1000)
        assert.include((yield* failing(mirrored)).stats.lastError, "SignatureDoesNotMatch")
        yield* change(mirrored.target.credentials.secretAccessKey, true)
        yield* Mirrored.converge(mirrored)
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services()))
    )

    it.effect("catches up once a target that was full has room", () =>
      Effect.gen(function* () {
        const gateway = yield* CephRgw.CephRgw
        const mirrored = yield* Mirrored.scene()
        yield* gateway.setQuota(1)
        yield* MirrorChanges.run(mirrored.bucket, 7, 50, 30_000)
        assert.include((yield* failing(mirrored)).stats.lastError, "QuotaExceeded")
        yield* gateway.setQuota(undefined)
        yield* Mirrored.converge(mirrored)
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services()))
    )
  })
)
