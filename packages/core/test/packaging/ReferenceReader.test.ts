/**
 * Reads fragmented MP4 with MP4Box.js, the library of the authors of GPAC, which reports boxes that have another structure than ISO/IEC 14496-12.
 */
import { assert, vi } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import { createFile, Log, MP4BoxBuffer } from "mp4box"
import * as Media from "./support/Media.ts"
import * as Packaging from "./support/Packaging.ts"

const it = Requires.requires(Media.missing)

/** Reads files one after the other as parts of one; returns the samples of its only track, and what the library reports. */
const read = (parts: ReadonlyArray<Uint8Array>) => {
  Log.setLogLevel(Log.warn)
  const reports: Array<unknown> = []
  const warned = vi.spyOn(console, "warn").mockImplementation((...report) => void reports.push(report))
  const file = createFile(true)
  file.onError = (...report) => void reports.push(report)
  let at = 0
  for (const part of parts) {
    file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(part.slice().buffer, at))
    at += part.length
  }
  file.flush()
  warned.mockRestore()
  const { tracks } = file.getInfo()
  assert.lengthOf(tracks, 1)
  const [{ codec, id, timescale } = assert.fail("no track")] = tracks
  return {
    codec,
    timescale,
    reports,
    bytes: at,
    lastByte: file.boxes.reduce((end, box) => Math.max(end, (box.start ?? 0) + box.size), 0),
    samples: file.getTrackSamplesInfo(id)
  }
}

for (const name of ["plain.mp4", "hevc.mp4", "later-sound.mp4", "signed.mp4"] as const) {
  it.effect(`segments: ${name} → MP4Box.js reads the samples of each, and reports nothing`, () =>
    Effect.gen(function* () {
      for (const { init, segments, track } of yield* Packaging.toFragments(Media.load(name))) {
        const { count, delays, sizes, syncs, times } = track.samples
        let first = 0
        for (const segment of segments) {
          const { bytes, codec, lastByte, reports, samples, timescale } = read([init, segment])
          assert.deepStrictEqual(reports, [])
          assert.strictEqual(lastByte, bytes)
          assert.strictEqual(codec.toLowerCase(), track.codec.name.toLowerCase())
          assert.strictEqual(timescale, track.timeScale)
          const actual = samples.map(({ cts, dts, is_sync, size }) => ({ cts, dts, is_sync, size }))
          const expected = samples.map((_, index) => {
            const dts = (times[first + index] ?? Number.NaN) + track.pause
            return {
              cts: dts + (delays[first + index] ?? 0),
              dts,
              is_sync: syncs[first + index] === 1,
              size: sizes[first + index]
            }
          })
          assert.deepStrictEqual(actual, expected)
          first += samples.length
        }
        assert.strictEqual(first, count)
      }
    })
  )
}
