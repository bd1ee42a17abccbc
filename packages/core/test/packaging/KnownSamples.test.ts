/**
 * What is known of all samples spares loops over them, and changes no result.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import * as FragmentedMp4 from "../../src/packaging/FragmentedMp4.ts"
import type { Samples } from "../../src/packaging/Samples.ts"
import * as SegmentIndex from "../../src/packaging/SegmentIndex.ts"
import * as SegmentPlan from "../../src/packaging/SegmentPlan.ts"
import type { SourceIndex } from "../../src/packaging/SourceIndex.ts"
import * as SourceReader from "../../src/packaging/SourceReader.ts"
import * as TransportStream from "../../src/packaging/TransportStream.ts"
import * as Media from "./support/Media.ts"
import * as Sources from "./support/Sources.ts"

const it = Requires.requires(Media.missing)

const forget = <A extends { readonly samples: Samples }>(track: A): A => ({
  ...track,
  samples: { ...track.samples, isPlain: false, isOrdered: false }
})

/** Returns everything that is decided by loops over the samples, without the samples. */
const measure = Effect.fnUntraced(function* ({ audio, video }: Pick<SourceIndex, "audio" | "video">) {
  const plan = yield* SegmentPlan.make(video[0] ?? null, audio)
  const transport = yield* TransportStream.make(plan.count, plan.video, plan.audio[0] ?? null)
  const { counters, keyframes, sizes } = transport
  const tracks = [...(plan.video === null ? [] : [plan.video]), ...plan.audio]
  const fragments = yield* Effect.forEach(tracks, FragmentedMp4.measure)
  const planned = tracks.map(({ firsts, lead }) => ({ firsts, lead }))
  const index = yield* SegmentIndex.encode({
    plan,
    transport,
    sourceBytes: 2 ** 40,
    silentBytes: 0,
    isComposite: false
  })
  return { starts: plan.starts, planned, counters, keyframes, sizes, fragments, index }
})

const names = [
  "plain.mp4",
  "slow.mp4",
  "large.mp4",
  "fragments.mp4",
  "later-sound.mp4",
  "silent.mp4",
  "sound.m4a",
  "uneven.mp4"
] as const

/** Files whose frames are shown in the order in which they are decoded. */
const withoutDelays: ReadonlySet<Media.Name> = new Set<Media.Name>(["slow.mp4", "large.mp4"])

for (const name of names) {
  it.effect(`known samples: ${name} → the same segments as without that knowledge`, () =>
    Effect.gen(function* () {
      const { audio, video } = yield* SourceReader.read(Sources.make(Media.load(name)))
      const known = [...audio, ...video].filter(({ samples }) => samples.isPlain)
      expect(known.length).toBe(audio.length + (withoutDelays.has(name) ? video.length : 0))
      expect([...audio, ...video].every(({ samples }) => samples.isOrdered)).toBe(true)
      const expected = yield* measure({ audio: audio.map(forget), video: video.map(forget) })
      expect(yield* measure({ audio, video })).toEqual(expected)
    })
  )
}
