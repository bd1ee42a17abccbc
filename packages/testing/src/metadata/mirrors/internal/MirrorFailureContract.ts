/**
 * The contract of `MirrorTaskRepository`: mirrors that fail as a whole.
 */
import { expect } from "@effect/vitest"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as MirrorFixtures from "../MirrorFixtures.ts"

const { claim, fail, findDue } = MirrorFixtures

export const mirrorFailureContract = (it: It): void => {
  it.effect("failing mirror: claims → one task for one worker; recovered → all tasks", () =>
    Effect.gen(function* () {
      const { bucket, mirror } = yield* MirrorFixtures.createWithFiles(5)
      const tasks = yield* MirrorTaskRepository
      const stored = Effect.map(MirrorFixtures.get(bucket, mirror.id), (found) => found.mirror)
      const claimed = yield* claim(mirror, Sample.at(1000), { limit: 3 })
      const failure = { error: null, retryAt: Sample.at(9000) }
      yield* MirrorFixtures.complete(claimed.map((task) => MirrorFixtures.failed(task, failure)))
      // Three copies fail because of one outage, which counts once.
      for (const _ of [1, 2, 3]) yield* fail(mirror, "It is down.", { now: 1100, retryAt: 2100 })
      const failing = yield* stored
      expect(failing).toMatchObject({ failures: 1, failure: { since: Sample.at(1100), detail: "It is down." } })
      expect(yield* findDue(mirror.id, Sample.at(2099))).toBe(undefined)
      expect(yield* claim(failing, Sample.at(2099))).toEqual([])
      expect(yield* findDue(mirror.id, Sample.at(2100))).toMatchObject({ hasTasks: true })
      const probes = yield* Effect.forEach([1, 2, 3], () => claim(failing, Sample.at(2100)), {
        concurrency: "unbounded"
      })
      expect(probes.flat()).toHaveLength(1)
      expect(yield* claim(mirror, Sample.at(2100))).toEqual([])
      yield* fail(failing, "It is still down.", { now: 2200, retryAt: 4200 })
      const still = yield* stored
      expect(still).toMatchObject({ failures: 2, failure: { since: Sample.at(1100), detail: "It is still down." } })
      // A worker that read the mirror before its last failure could not record another one.
      expect(yield* claim(failing, Sample.at(4200))).toEqual([])
      yield* tasks.recover({ mirrorId: mirror.id, now: Sample.at(4300) })
      const recovered = yield* stored
      expect(recovered).toMatchObject({ failures: 0, failure: null })
      // The lease of the probe has not ended.
      expect(yield* claim(recovered, Sample.at(4300))).toHaveLength(4)
    })
  )

  it.effect(
    "tasks that wait for a later time, resumed or recovered → some are due at once, the others in batches",
    () =>
      Effect.gen(function* () {
        const { mirror, ref } = yield* MirrorFixtures.createWithFiles(520)
        const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
        const claimed = yield* claim(mirror, Sample.at(1000), { limit: 600 })
        const failures = claimed.map((task, index) =>
          MirrorFixtures.failed(task, { error: index < 10 ? "no" : null, retryAt: Sample.at(900_000 + index) })
        )
        yield* MirrorFixtures.complete(failures)
        const retryAll = Effect.gen(function* () {
          let batches = 1
          while (yield* tasks.retryTasks({ mirrorId: mirror.id, limit: 8 })) batches++
          return batches
        })
        // Changes nothing at the due tasks of the mirror: they are counted by claims that are released again.
        const countDue = Effect.gen(function* () {
          const now = Sample.at(6000)
          const due = yield* claim(mirror, now, { limit: 600 })
          yield* tasks.complete({
            results: due.map((task) => MirrorFixtures.failed(task, { error: null, retryAt: Sample.at(900_000) })),
            now
          })
          return due.length
        })
        yield* fail(mirror, "It is down.", { now: 1100, retryAt: 2000 })
        yield* tasks.recover({ mirrorId: mirror.id, now: Sample.at(5000) })
        expect(yield* findDue(mirror.id, Sample.at(5000))).toMatchObject({ hasRetries: true })
        expect(yield* retryAll).toBeGreaterThan(2)
        expect(yield* findDue(mirror.id, Sample.at(5000))).toMatchObject({ hasRetries: false, hasTasks: true })
        // Not those with an error of their own.
        expect(yield* countDue).toBe(510)
        yield* mirrors.update({ mirror: ref, change: { paused: false }, now: Sample.at(5500) })
        expect(yield* retryAll).toBeGreaterThan(2)
        expect(yield* countDue).toBe(520)
        expect(yield* findDue(mirror.id, Sample.at(5000))).toBe(undefined)
      })
  )

  it.effect("failing mirror: claim finds no task → the mirror stays free for other workers", () =>
    Effect.gen(function* () {
      const { bucket, mirror } = yield* MirrorFixtures.createWithFiles(1)
      const claimed = yield* claim(mirror)
      const failure = { error: null, retryAt: Sample.at(5000) }
      yield* MirrorFixtures.complete(claimed.map((task) => MirrorFixtures.failed(task, failure)))
      yield* fail(mirror, "It is down.", { now: 1100, retryAt: 2000 })
      const { mirror: failing } = yield* MirrorFixtures.get(bucket, mirror.id)
      expect(yield* claim(failing, Sample.at(4999), { until: 90_000 })).toEqual([])
      expect(yield* claim(failing, Sample.at(5000))).toHaveLength(1)
    })
  )

  it.effect("failing mirror: the clock was years ahead → due at once", () =>
    Effect.gen(function* () {
      const { bucket, mirror } = yield* MirrorFixtures.createWithFiles(1)
      const ahead = 315_360_000_000
      yield* fail(mirror, "It is down.", { now: ahead, retryAt: ahead + 1000 })
      const { mirror: failing } = yield* MirrorFixtures.get(bucket, mirror.id)
      expect(yield* findDue(mirror.id, Sample.at(1000))).toMatchObject({ hasTasks: true })
      expect(yield* claim(failing, Sample.at(1000))).toHaveLength(1)
    })
  )

  it.effect("failing mirror: new credentials, or resumed → recovered; a failure of the former state is ignored", () =>
    Effect.gen(function* () {
      const { bucket, mirror, ref } = yield* MirrorFixtures.createWithFiles(2)
      const mirrors = yield* MirrorRepository
      const update = (change: Parameters<typeof mirrors.update>[0]["change"], now: number) =>
        mirrors.update({ mirror: ref, change, now: Sample.at(now) })
      yield* fail(mirror, "Denied.", { now: 1000, retryAt: 90_000 })
      yield* update({ credentials: { address: mirror.address, secret: "new" } }, 1500)
      yield* fail(mirror, "Denied.", { now: 1600, retryAt: 90_000 })
      const { mirror: renewed } = yield* MirrorFixtures.get(bucket, mirror.id)
      expect(renewed).toMatchObject({ revision: 2, failure: null, failures: 0 })
      expect(yield* claim(mirror, Sample.at(2000))).toEqual([])
      yield* update({ paused: true }, 2000)
      expect(yield* findDue(mirror.id, Sample.at(2000))).toBe(undefined)
      expect(yield* claim(renewed, Sample.at(2000))).toEqual([])
      yield* fail(renewed, "Down.", { now: 2100, retryAt: 90_000 })
      yield* update({ paused: false }, 2200)
      const { mirror: resumed } = yield* MirrorFixtures.get(bucket, mirror.id)
      expect(yield* claim(resumed, Sample.at(2200))).toHaveLength(2)
    })
  )
}
