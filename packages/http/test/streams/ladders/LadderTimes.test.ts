/**
 * The times of the segments of HLS of packaged and copied video, in all sizes.
 */
import * as Requires from "@holdfast/testing/Requires"
import { expect, it } from "vitest"
import * as LadderServer from "./support/LadderServer.ts"

type Packets = ReadonlyArray<LadderServer.Packet>

const timesOf = (all: Packets): ReadonlyArray<number> =>
  all.map(({ pts_time }) => Number(pts_time)).toSorted((one, other) => one - other)

const hashesOf = (all: Packets): ReadonlyArray<string> => all.map(({ data_hash }) => data_hash)

const expectTimes = (actual: ReadonlyArray<number>, expected: ReadonlyArray<number>): void => {
  expect(actual).toHaveLength(expected.length)
  // FFmpeg rounds the time of the first frame of Matroska to milliseconds once more.
  for (const [index, time] of expected.entries()) expect(Math.abs((actual[index] ?? NaN) - time)).toBeLessThan(0.0015)
}

Requires.requires(LadderServer.missing).describe("times of packaged and copied video", () => {
  const server = LadderServer.use()

  it.each(Object.entries({ ...LadderServer.recipes, ...LadderServer.copied }))(
    "video %s: segments of both sizes → the same audio, and frames at the same times",
    async (_, recipe) => {
      const made = await LadderServer.upload(server(), recipe)
      await made.request("dash")
      await made.joined("dash")
      expect(await made.request("hls")).toMatchObject({ state: "READY" })
      const count = (await made.text("hls/240p.m3u8")).match(/^#EXTINF/gm)?.length ?? 0
      expect(count).toBeGreaterThan(2)
      const switched: Array<Buffer> = []
      const all: { readonly [track in "audio" | "video"]: Array<LadderServer.Packet> } = { audio: [], video: [] }
      let last = 0
      for (let number = 0; number < count; number++) {
        const best = await made.bytes(`hls/index${number}.ts`)
        const lower = await made.bytes(`hls/240p/index${number}.ts`)
        expect(lower.length % 188).toBe(0)
        const [expected, actual] = [await LadderServer.packets(best), await LadderServer.packets(lower)]
        expect(hashesOf(actual.audio)).toEqual(hashesOf(expected.audio))
        expect(timesOf(actual.audio)).toEqual(timesOf(expected.audio))
        expectTimes(timesOf(actual.video), timesOf(expected.video))
        if (number === 0 && recipe === LadderServer.recipes.plain) {
          expect(timesOf(actual.video)[0]).toBeCloseTo(1.4, 3)
        }
        for (const { dts_time, pts_time } of actual.video) {
          expect(Number(dts_time)).toBeGreaterThan(last)
          expect(Number(dts_time)).toBeLessThanOrEqual(Number(pts_time))
          last = Number(dts_time)
        }
        switched.push(number % 2 === 0 ? best : lower)
        for (const track of ["audio", "video"] as const) all[track].push(...expected[track])
      }
      // What a player has that changes between the sizes with each segment is what it has of the best one.
      const { audio, video } = await LadderServer.packets(Buffer.concat(switched))
      expect(hashesOf(audio)).toEqual(hashesOf(all.audio))
      expectTimes(timesOf(audio), timesOf(all.audio))
      expectTimes(timesOf(video), timesOf(all.video))
    }
  )
})
