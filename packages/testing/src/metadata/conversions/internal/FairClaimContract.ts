/**
 * The contract of `ConversionRepository` for fairness between tenants: the order of claims, and the limit of pending
 * conversions.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { It } from "../../internal/It.ts"
import * as Fixtures from "../../Fixtures.ts"
import * as Sample from "../../Sample.ts"
import * as ConversionFixtures from "./ConversionFixtures.ts"

/** Makes files with content in one bucket. */
const videos = Effect.fnUntraced(function* (count: number) {
  const bucket = yield* Fixtures.bucket()
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(Fixtures.store(bucket), (file) => ({
      bucket,
      file,
      source: { fileId: file.id, blobId: file.content.blobId }
    }))
  )
})

type Video = Effect.Success<ReturnType<typeof videos>>[number]

/** Replaces the content of a file. Returns the file with its new content. */
const replace = Effect.fnUntraced(function* (video: Video) {
  const content = Sample.content(yield* Fixtures.stage(video.bucket))
  yield* (yield* FileRepository).replaceContent({
    bucket: video.bucket,
    fileId: video.file.id,
    content,
    condition: {},
    sweepAt: ConversionFixtures.sweepAt
  })
  return { ...video, source: { ...video.source, blobId: content.blobId } }
})

export const fairClaimContract = (it: It): void => {
  it.effect("claim: tenants with running conversions → the one with the fewest is served first, then the oldest", () =>
    Effect.gen(function* () {
      yield* ConversionFixtures.failPending
      const [many, few] = [yield* videos(5), yield* videos(2)]
      for (const [index, video] of many.entries()) {
        yield* ConversionFixtures.request(video, "hls", Sample.at(index))
      }
      for (const [index, video] of few.entries()) {
        yield* ConversionFixtures.request(video, "hls", Sample.at(10 + index))
      }
      const claims = yield* Effect.forEach(Array.from({ length: 7 }), () => ConversionFixtures.claimNext(20))
      expect(claims.map(({ fileId }) => fileId)).toEqual(
        [many[0], few[0], many[1], few[1], many[2], many[3], many[4]].map((video) => video?.file.id)
      )
    })
  )

  it.effect("claim: leases of a tenant have expired → its conversions no longer count as running", () =>
    Effect.gen(function* () {
      yield* ConversionFixtures.failPending
      const [dead, other] = [yield* videos(2), yield* videos(1)]
      for (const [index, video] of dead.entries()) {
        yield* ConversionFixtures.request(video, "hls", Sample.at(index))
      }
      yield* ConversionFixtures.claimNext(0, 5)
      for (const video of other) yield* ConversionFixtures.request(video, "hls", Sample.at(9))
      expect((yield* ConversionFixtures.claimNext(9)).fileId).toBe(dead[1]?.file.id)
      expect((yield* ConversionFixtures.claimNext(9)).fileId).toBe(other[0]?.file.id)
      expect((yield* ConversionFixtures.claimNext(9)).fileId).toBe(dead[0]?.file.id)
    })
  )

  it.effect("claim: many replaced contents are queued → the conversion behind them is claimed, and is the last", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      yield* ConversionFixtures.failPending
      const [video] = yield* videos(1)
      if (video === undefined) return expect.unreachable()
      let current = video
      for (let index = 0; index < 120; index++) {
        yield* conversions.request(ConversionFixtures.requestOf(current, "hls", { maxPending: 1000 }))
        current = yield* replace(current)
      }
      yield* ConversionFixtures.request(current, "hls", Sample.at(1))
      expect((yield* ConversionFixtures.claimNext(1)).blobId).toBe(current.source.blobId)
      expect(yield* ConversionFixtures.claimAt(1)).toEqual(Option.none())
    })
  )

  it.effect("claim: many conversions to DASH wait for HLS → the conversion behind them is claimed", () =>
    Effect.gen(function* () {
      yield* ConversionFixtures.failPending
      const all = yield* videos(120)
      for (const video of all) yield* ConversionFixtures.request(video, "dash", Sample.at(0))
      for (const video of all) yield* ConversionFixtures.request(video, "hls", Sample.at(1))
      expect((yield* ConversionFixtures.claimNext(1)).format).toBe("hls")
      yield* ConversionFixtures.failPending
    })
  )

  it.effect("request: tenant has `maxPending` conversions → TooManyConversions, also of requests at once", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      yield* ConversionFixtures.failPending
      const all = yield* videos(8)
      const [first] = all
      if (first === undefined) return expect.unreachable()
      const requested = yield* Effect.forEach(
        all,
        (video) => Effect.result(conversions.request(ConversionFixtures.requestOf(video, "hls", { maxPending: 3 }))),
        { concurrency: "unbounded" }
      )
      const refused = requested.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      expect(refused).toHaveLength(5)
      for (const error of refused) expect(error).toMatchObject({ _tag: "TooManyConversions", limit: 3 })
      // A pending conversion is returned, and another tenant is not affected.
      const accepted = all.find((_, index) => requested[index]?._tag === "Success") ?? first
      yield* conversions.request(ConversionFixtures.requestOf(accepted, "hls", { maxPending: 3 }))
      for (const other of yield* videos(1)) {
        yield* conversions.request(ConversionFixtures.requestOf(other, "hls", { maxPending: 1 }))
      }
    })
  )

  it.effect("request: contents of pending conversions were replaced → they do not count", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      yield* ConversionFixtures.failPending
      const [one, two, three] = yield* videos(3)
      if (one === undefined || two === undefined || three === undefined) return expect.unreachable()
      const ask = (video: typeof one) =>
        conversions.request(ConversionFixtures.requestOf(video, "hls", { maxPending: 2 }))
      yield* ask(one)
      yield* ask(two)
      expect(yield* Effect.flip(ask(three))).toMatchObject({ _tag: "TooManyConversions" })
      yield* replace(one)
      expect(yield* ask(three)).toMatchObject({ state: "QUEUED" })
      expect(Option.isSome(yield* ConversionFixtures.claimAt(0))).toBe(true)
    })
  )
}
