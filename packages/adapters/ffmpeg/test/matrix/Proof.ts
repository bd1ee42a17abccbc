/**
 * Proves that a presentation is right: it can be decoded wholly, and has the pictures, the sound and the duration of its source.
 */
import { assert } from "@effect/vitest"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Files from "../support/Files.ts"
import type { Input } from "./Input.ts"
import * as Measure from "./Measure.ts"

/** The files of a presentation, joined: one for each rendition. */
interface Joined {
  readonly all: ReadonlyArray<string>
  /** The best rendition, and the file that has the default audio. */
  readonly video: string
  readonly audio: string
}

const joinHls = (output: string, presentation: Presentation, scratch: string): Joined => {
  const renditions = [...StreamFiles.hlsRenditions(presentation), ...StreamFiles.hlsAudio(presentation)]
  const all = renditions.map(({ playlist }, index) => {
    const segments = CheckedConversion.uris(readFileSync(join(output, playlist), "utf8"))
    const path = join(scratch, `${index}.ts`)
    Files.concatenate(
      segments.map((name) => join(output, name)),
      path
    )
    return path
  })
  return { all, video: all[0] ?? "", audio: all[0] ?? "" }
}

const joinDash = (output: string, presentation: Presentation, scratch: string): Joined => {
  const names = readdirSync(output)
  const all = Array.from({ length: StreamFiles.dashRepresentations(presentation) }, (_, id) => {
    const count = names.filter((name) => name.startsWith(`chunk-${id}-`)).length
    const chunks = Array.from({ length: count }, (__, index) => StreamFiles.chunk(id, index + 1))
    const path = join(scratch, `${id}.mp4`)
    Files.concatenate(
      [StreamFiles.init(id), ...chunks].map((name) => join(output, name)),
      path
    )
    return path
  })
  return { all, video: all[0] ?? "", audio: all[presentation.hasVideo ? presentation.renditions.length : 0] ?? "" }
}

/** What a proof has measured. */
export interface Proof {
  /** Of the pictures with those of the source; undefined if they are not compared. */
  readonly similarity: number | undefined
  readonly frames: number
  /** Seconds by which tones are later than they should be, at most. */
  readonly sync: number | undefined
}

/** Similarity of the pictures (SSIM) at least. Those of small pictures with fine patterns are not much better at the rates of the ladder. */
const leastSimilarity = 0.9

const largest = (values: ReadonlyArray<number>): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)

/** Frames that the result should have; undefined if the source does not say. */
const expectedFrames = ({ rate, seconds }: Input["expected"], source: number): number =>
  rate === undefined ? source : Math.round(rate * seconds)

/** Fails if the presentation is not that of the input. */
export const prove = (
  { expected }: Input,
  source: string,
  { finished, output }: Pick<CheckedConversion.Outcome, "finished" | "output">,
  scratch: string
): Proof => {
  const joined = (finished.format === "hls" ? joinHls : joinDash)(output, finished, scratch)
  if (!expected.isDamaged) for (const path of joined.all) Measure.decode(path)
  const { hasAudio, hasVideo } = finished
  const strict = !expected.isDamaged
  // In one run where both are in one file: otherwise FFmpeg moves the beginning of the sound to that of the file.
  const isOneFile = joined.video === joined.audio
  const picture = Measure.measure(joined.video, { hasVideo, hasAudio: hasAudio && isOneFile, strict })
  const sound = isOneFile ? picture : Measure.measure(joined.audio, { hasVideo: false, hasAudio, strict })
  const frames = picture.frames.length
  if (expected.isDamaged) {
    // A player conceals what FFmpeg conceals: as much is left as of the source.
    const remaining = Measure.measure(source, { hasVideo, hasAudio: false, strict }).frames.length
    assert.isAtLeast(frames, Math.floor(0.9 * remaining), "frames")
    return { similarity: undefined, frames, sync: undefined }
  }

  const best = finished.renditions[0]
  assert.strictEqual(hasVideo ? `${best.width}x${best.height}` : undefined, expected.size, "size")
  assert.strictEqual(hasAudio, expected.hasAudio, "has audio")
  assert.lengthOf(finished.captions ?? [], expected.captions, "captions")
  const seconds = finished.format === "hls" ? (expected.hlsSeconds ?? expected.seconds) : expected.seconds
  assert.approximately(finished.duration ?? 0, seconds, Math.max(0.2, seconds / 50), "duration")

  const origin =
    hasVideo && expected.soundLater >= 0 ? (picture.frames[0] ?? 0) : (sound.sound?.[0] ?? picture.frames[0] ?? 0)
  const marks = Array.from({ length: Math.ceil(expected.seconds) + 1 }, (_, index) => index + 0.5 - expected.earlier)
  const compare = (what: string, actual: ReadonlyArray<number>, delay: number, tolerance: number) => {
    const end = actual === picture.whites ? (picture.frames.at(-1) ?? 0) : (sound.sound?.[1] ?? 0)
    const times = marks.map((time) => time + delay).filter((time) => time < end - origin - 0.1)
    const found = actual.map((time) => time - origin).filter((time) => time < end - origin - 0.1)
    assert.strictEqual(found.length, times.length, `${what} at ${found.map((time) => time.toFixed(2)).join(", ")}`)
    const errors = found.map((time, index) => time - (times[index] ?? 0))
    assert.isAtMost(largest(errors), tolerance, `${what} at ${found.map((time) => time.toFixed(2)).join(", ")}`)
    return errors
  }
  const pictureDelay = Math.max(0, -expected.soundLater)
  const soundDelay = Math.max(0, expected.soundLater)
  if (hasVideo && expected.hasMarks) compare("white pictures", picture.whites, pictureDelay, 0.13)
  const sync =
    hasAudio && expected.hasMarks && sound.tones !== undefined
      ? largest(compare("tones", sound.tones, soundDelay, 0.08))
      : undefined

  if (!hasVideo) return { similarity: undefined, frames, sync }
  for (const [index, time] of picture.frames.slice(1).entries())
    assert.isAbove(time, picture.frames[index] ?? 0, "order of frames")
  const original = Measure.measure(source, { hasVideo, hasAudio: false, strict: false })
  const count = expectedFrames(expected, original.frames.length)
  assert.approximately(frames, count, expected.rate === undefined ? 1 : 3, "frames")
  if (expected.hasExactTimes === true) {
    const timesOf = (all: ReadonlyArray<number>) => all.map((time) => time - (all[0] ?? 0))
    const [actual, due] = [timesOf(picture.frames), timesOf(original.frames)]
    assert.isAtMost(largest(actual.map((time, index) => time - (due[index] ?? 0))), 0.002, "times of the frames")
  }
  if (!expected.looksAlike || expected.rate !== undefined) return { similarity: undefined, frames, sync }
  const similarity = Measure.similarity(source, joined.video, [best.width ?? 0, best.height ?? 0])
  assert.isAtLeast(similarity, leastSimilarity, "similarity of the pictures")
  return { similarity, frames, sync }
}
