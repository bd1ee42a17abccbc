/**
 * Continues audio with silence to the end of the video. Players wait for audio where it ends, and hls.js never goes on where it ends some
 * segments before the video. A file has no bytes of these frames: they are taken to be behind its end.
 */
import * as Effect from "effect/Effect"
import type { Aac } from "../../Codec.ts"
import * as SilentFrame from "./SilentFrame.ts"
import * as JoinedSource from "../../JoinedSource.ts"
import { unsupported } from "../../PackagingError.ts"
import { none, numbers, type Samples } from "../../Samples.ts"
import type { Source } from "../../Source.ts"
import type { AudioTrack, VideoTrack } from "../../SourceIndex.ts"

/** Samples of a channel in a frame. */
const frameSamples = 1024

/** Returns a time of a track in seconds of the presentation. */
const secondsAt = ({ pause, start, timeScale }: AudioTrack | VideoTrack, ticks: number): number =>
  (ticks - start + pause) / timeScale

/** Returns when the last sample of a track ends to be decoded, in seconds of the presentation: that of audio is heard then. */
export const endOf = (track: AudioTrack | VideoTrack): number => secondsAt(track, track.samples.end)

/** Returns when the first silent frame begins, in ticks. A file may declare that its last frame ends before all of it is heard. */
const beginOf = ({ sampleRate, samples: { count, end, times }, timeScale }: AudioTrack): number =>
  count === 0 ? end : Math.max(end, (times[count - 1] ?? 0) + Math.round((frameSamples * timeScale) / sampleRate))

/** Returns when a silent frame begins, in ticks. */
const timeOf = (track: AudioTrack, frame: number): number =>
  beginOf(track) + Math.round((frame * frameSamples * track.timeScale) / track.sampleRate)

/** Returns how many silent frames continue a track until a time, in seconds of the presentation. None is heard after it. */
export const framesUntil = (track: AudioTrack, time: number): number =>
  Math.max(0, Math.floor(((time - secondsAt(track, beginOf(track))) * track.sampleRate) / frameSamples))

/** Returns the bytes of so many frames. */
export const bytesOf = ({ codec }: Pick<AudioTrack, "codec">, frames: number): number =>
  frames * SilentFrame.make(codec).length

/** Returns a track that ends with so many silent frames, one behind the other in the file from `at` on. */
export const append = (track: AudioTrack, frames: number, at: number): AudioTrack => {
  const { codec, sampleRate, samples, shown, timeScale } = track
  if (frameSamples * timeScale < sampleRate) throw unsupported("The time scale of the audio is too coarse.")
  const { delays, end, isOrdered, isPlain, offsets, sizes, syncs, times } = samples
  const { length } = SilentFrame.make(codec)
  const count = samples.count + frames
  const newEnd = timeOf(track, frames)
  const all: Samples = {
    count,
    offsets: numbers(count, at + frames * length),
    sizes: new Uint32Array(count).fill(length, samples.count),
    times: numbers(count, newEnd),
    delays: new Int32Array(count),
    syncs: new Uint8Array(count).fill(1, samples.count),
    end: newEnd,
    isPlain,
    isOrdered
  }
  all.offsets.set(offsets.subarray(0, samples.count))
  all.sizes.set(sizes.subarray(0, samples.count))
  all.times.set(times.subarray(0, samples.count))
  all.delays.set(delays.subarray(0, samples.count))
  all.syncs.set(syncs.subarray(0, samples.count))
  for (let frame = 0; frame < frames; frame++) {
    all.offsets[samples.count + frame] = at + frame * length
    all.times[samples.count + frame] = timeOf(track, frame)
  }
  return { ...track, shown: shown === null ? null : shown + (newEnd - end) / timeScale, samples: all }
}

/** Returns a track without samples that continues a track, so many frames behind its end. */
export const after = (track: AudioTrack, frames = 0): AudioTrack => ({
  ...track,
  samples: { ...none, end: timeOf(track, frames) }
})

/** Makes a source of so many bytes of silent frames. */
export const source = (codec: Pick<Aac, "channelConfiguration">, size: number): Source<never> => {
  const frame = SilentFrame.make(codec)
  return {
    size,
    readRange: ({ length, offset }, into = new Uint8Array(length)) =>
      Effect.sync(() => {
        for (let index = 0; index < length; index++) into[index] = frame[(offset + index) % frame.length] ?? 0
        return into
      })
  }
}

/** Returns a file with so many bytes of silent frames behind it. */
export const behind = <E>(file: Source<E>, codec: Pick<Aac, "channelConfiguration">, size: number): Source<E> =>
  size === 0 ? file : JoinedSource.join<E>([file, source(codec, size)])
