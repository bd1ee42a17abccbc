/**
 * Outages of a target and of the connection to it: the mirror is FAILING meanwhile, and the target equals the bucket in
 * the end.
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
import * as MirroredBucket from "./support/MirroredBucket.ts"

// The tests start a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024
const { getRecord, pollUntil, startWorker, upload } = MirrorHarness

const untilFailing = (mirrored: MirroredBucket.MirroredBucket) =>
  pollUntil(getRecord(mirrored.ref), ({ state }) => state === "FAILING")

requires(CephRgw.missing).describe("mirror to Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("target down → FAILING; up again → all changes copied", () =>
      Effect.gen(function* () {
        const gateway = yield* CephRgw.CephRgw
        const mirrored = yield* MirroredBucket.open()
        yield* MirrorChanges.run(mirrored.bucket, 1, 60, 100_000)
        yield* gateway.stop
        yield* MirrorChanges.run(mirrored.bucket, 2, 200, 100_000)
        const { stats } = yield* untilFailing(mirrored)
        assert.isAbove(stats.pending, 0)
        assert.include(stats.lastError, "cannot be reached")
        yield* gateway.start
        yield* MirroredBucket.assertConverges(mirrored)
        assert.strictEqual((yield* getRecord(mirrored.ref)).state, "ACTIVE")
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services()))
    )

    it.effect("connection slow and cut repeatedly → all files copied", () =>
      Effect.gen(function* () {
        const { endpoint } = yield* CephRgw.CephRgw
        const { proxy, ...mirrored } = yield* MirroredBucket.createProxiedMirror(yield* Fixtures.bucket(), endpoint)
        yield* startWorker({ concurrency: 4 })
        yield* proxy.throttle(8 * mebibyte)
        yield* MirrorChanges.run(mirrored.bucket, 3, 20, 2 * mebibyte)
        yield* proxy.resume
        const changing = yield* Effect.forkChild(MirrorChanges.run(mirrored.bucket, 4, 60, 12 * mebibyte))
        // Within the head of a request, between two requests, within a part, after some parts.
        for (const bytes of [1, 700, 5000, 300_000, 3 * mebibyte, 100, 7 * mebibyte, 20_000])
          yield* proxy.cutAfter(bytes)
        yield* Fiber.join(changing)
        yield* MirroredBucket.assertConverges(mirrored)
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services({ maxAttempts: 1 })))
    )

    it.effect("connection stalled → FAILING after the idle timeout; resumed → all changes copied", () =>
      Effect.gen(function* () {
        const { endpoint } = yield* CephRgw.CephRgw
        const { proxy, ...mirrored } = yield* MirroredBucket.createProxiedMirror(yield* Fixtures.bucket(), endpoint)
        yield* startWorker()
        yield* upload(mirrored.bucket, "before", "x")
        yield* MirroredBucket.assertConverges(mirrored)
        yield* proxy.stall
        yield* MirrorChanges.run(mirrored.bucket, 5, 50, 1000)
        yield* untilFailing(mirrored)
        yield* proxy.resume
        yield* MirroredBucket.assertConverges(mirrored)
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services({ idleTimeout: "200 millis" })))
    )

    it.effect("target of another mirror stalled, with 100 pending files → not delayed", () =>
      Effect.gen(function* () {
        const { endpoint } = yield* CephRgw.CephRgw
        const bucket = yield* Fixtures.bucket()
        const { proxy, ...hanging } = yield* MirroredBucket.createProxiedMirror(bucket, endpoint)
        const good = yield* MirroredBucket.createMirror(bucket)
        yield* proxy.stall
        yield* startWorker({ concurrency: 8, slotsPerMirror: 6 })
        yield* Effect.forEach(Array.from({ length: 100 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
        yield* MirroredBucket.assertConverges(good)
        assert.deepInclude((yield* getRecord(hanging.ref)).stats, { pending: 100, copied: 0 })
        yield* proxy.resume
        yield* MirroredBucket.assertConverges(hanging)
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services({ idleTimeout: "10 minutes" })))
    )

    it.effect("key refused → FAILING; new key → all changes copied", () =>
      Effect.gen(function* () {
        const mirrors = yield* Mirrors
        const mirrored = yield* MirroredBucket.open()
        const change = (secretAccessKey: Redacted.Redacted, verify: boolean) =>
          mirrors.update(Actor.system, mirrored.ref, { secretAccessKey, verify })
        yield* change(Redacted.make("another-secret"), false)
        yield* MirrorChanges.run(mirrored.bucket, 6, 50, 1000)
        assert.include((yield* untilFailing(mirrored)).stats.lastError, "SignatureDoesNotMatch")
        yield* change(mirrored.target.credentials.secretAccessKey, true)
        yield* MirroredBucket.assertConverges(mirrored)
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services()))
    )

    it.effect("target full → FAILING; space again → all changes copied", () =>
      Effect.gen(function* () {
        const gateway = yield* CephRgw.CephRgw
        const mirrored = yield* MirroredBucket.open()
        yield* gateway.setQuota(1)
        yield* MirrorChanges.run(mirrored.bucket, 7, 50, 30_000)
        assert.include((yield* untilFailing(mirrored)).stats.lastError, "QuotaExceeded")
        yield* gateway.setQuota(undefined)
        yield* MirroredBucket.assertConverges(mirrored)
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services()))
    )
  })
)
