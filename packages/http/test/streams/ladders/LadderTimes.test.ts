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
      const segments = { best: [] as Array<Buffer>, lower: [] as Array<Buffer> }
      for (let number = 0; number < count; number++) {
        segments.best.push(await made.bytes(`hls/index${number}.ts`))
        segments.lower.push(await made.bytes(`hls/240p/index${number}.ts`))
      }
      for (const bytes of segments.lower) expect(bytes.length % 188).toBe(0)
      const best = await LadderServer.packets(Buffer.concat(segments.best))
      const lower = await LadderServer.packets(Buffer.concat(segments.lower))
      let last = 0
      for (const { dts_time, pts_time } of lower.video) {
        expect(Number(dts_time)).toBeGreaterThan(last)
        expect(Number(dts_time)).toBeLessThanOrEqual(Number(pts_time))
        last = Number(dts_time)
      }
      if (recipe === LadderServer.recipes.plain) expect(timesOf(lower.video)[0]).toBeCloseTo(1.4, 3)
      // What a player has that changes between the sizes with each segment is what it has of the best one.
      const alternate = (parity: number) =>
        LadderServer.packets(
          Buffer.concat(
            segments.best.map((bytes, index) => (index % 2 === parity ? bytes : (segments.lower[index] ?? bytes)))
          )
        )
      for (const { audio, video } of [lower, await alternate(0), await alternate(1)]) {
        expect(hashesOf(audio)).toEqual(hashesOf(best.audio))
        expect(timesOf(audio)).toEqual(timesOf(best.audio))
        expectTimes(timesOf(video), timesOf(best.video))
      }
    }
  )
})
