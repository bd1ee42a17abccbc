/**
 * The contract of `ScrubRepository`.
 */
import { expect } from "@effect/vitest"
import { ScrubRepository } from "@holdfast/core/integrity/ScrubRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fixtures from "../Fixtures.ts"
import * as Sample from "../Sample.ts"
import type { It } from "./It.ts"

const claim = (name: string, at: number, options: { readonly restart?: boolean; readonly period?: number } = {}) =>
  Effect.flatMap(ScrubRepository, (scrubs) =>
    scrubs.claim({
      name,
      lease: Sample.id("blb"),
      leaseUntil: Sample.at(at + 1000),
      now: Sample.at(at),
      restartBefore: Sample.at(at - (options.period ?? 100_000)),
      restart: options.restart === true
    })
  )

const none = { blobs: 0, bytes: 0, damaged: 0 }

export const scrubContract = (it: It): void => {
  it.effect(
    "claim: nine processes at once → one gets it; interrupted → the next continues at the stored position",
    () =>
      Effect.gen(function* () {
        const scrubs = yield* ScrubRepository
        const name = Sample.id("blb")
        const claims = yield* Fixtures.concurrently(9, () => claim(name, 0))
        const got = claims.flatMap((result) => (result._tag === "Success" ? Option.toArray(result.success) : []))
        expect(got).toMatchObject([{ name, position: "", startedAt: Sample.at(0), totals: none }])
        const first = got[0]
        if (first === undefined) return
        const added = { blobs: 3, bytes: 5_000_000_000, damaged: 1 }
        expect(yield* scrubs.save({ claim: first, position: "b", added, leaseUntil: Sample.at(2000) })).toBe(true)
        expect(yield* claim(name, 1999)).toEqual(Option.none())
        const second = Option.getOrThrow(yield* claim(name, 2000))
        expect(second).toMatchObject({ position: "b", startedAt: Sample.at(0), totals: added })
        expect(yield* scrubs.save({ claim: first, position: "a", added, leaseUntil: Sample.at(9000) })).toBe(false)
        yield* scrubs.release(first, Sample.at(2001))
        yield* scrubs.release(second, null)
        expect(Option.getOrThrow(yield* claim(name, 2001))).toMatchObject({ position: "b", totals: added })
      })
  )

  it.effect("claim: finished → none within the period, then a new one from the beginning; restart → at once", () =>
    Effect.gen(function* () {
      const scrubs = yield* ScrubRepository
      const name = Sample.id("blb")
      const first = Option.getOrThrow(yield* claim(name, 0))
      yield* scrubs.save({ claim: first, position: "z", added: { ...none, blobs: 7 }, leaseUntil: Sample.at(500) })
      yield* scrubs.release(first, Sample.at(400))
      expect(yield* claim(name, 9000, { period: 9000 })).toEqual(Option.none())
      const second = Option.getOrThrow(yield* claim(name, 9001, { period: 9000 }))
      expect(second).toMatchObject({ position: "", startedAt: Sample.at(9001), totals: none })
      expect(yield* claim(name, 9002, { restart: true })).toEqual(Option.none())
      yield* scrubs.save({ claim: second, position: "k", added: none, leaseUntil: Sample.at(9500) })
      yield* scrubs.release(second, null)
      const third = Option.getOrThrow(yield* claim(name, 9003, { restart: true }))
      expect(third).toMatchObject({ position: "", startedAt: Sample.at(9003) })
    })
  )

  it.effect("claim: the clock was years ahead while a scrub finished or ran → due at once", () =>
    Effect.gen(function* () {
      const scrubs = yield* ScrubRepository
      const ahead = 315_360_000_000
      const [finished, running] = [Sample.id("blb"), Sample.id("blb")]
      const early = Option.getOrThrow(yield* claim(finished, ahead))
      yield* scrubs.release(early, Sample.at(ahead + 10))
      expect(Option.getOrThrow(yield* claim(finished, 0))).toMatchObject({ position: "", startedAt: Sample.at(0) })
      yield* claim(running, ahead)
      expect(Option.isSome(yield* claim(running, 0))).toBe(true)
    })
  )
}
