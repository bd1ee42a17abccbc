/**
 * Runs conversions and checks every event against the contract of the port.
 */
import { assert } from "@effect/vitest"
import type { ConversionEvent } from "@holdfast/core/transcoding/ConversionEvent"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import { type ConvertJob, Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import * as SharedSegments from "./SharedSegments.ts"

/** The result of a conversion. */
export interface Outcome {
  readonly output: string
  readonly started: Presentation
  readonly finished: Presentation
  /** Names, in the order of their events. */
  readonly segments: ReadonlyArray<string>
  /** The last text of each playlist. */
  readonly playlists: ReadonlyMap<string, string>
  /** Number of playlist events. */
  readonly updates: number
}

/** Returns the URIs of an HLS playlist. */
export const uris = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))

/** Returns the sum of a media playlist's durations, in seconds. */
export const seconds = (text: string): number =>
  [...text.matchAll(/^#EXTINF:([\d.]+)/gm)].reduce((sum, [, duration]) => sum + Number(duration), 0)

const files = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(directory.length + 1))
    .toSorted()

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

/** Returns the initialization segments that a DASH manifest requires. */
const inits = (manifest: string): ReadonlyArray<string> =>
  [...manifest.matchAll(/<Representation [^>]*?\bid="(\d+)"/g)].map(([, id]) => StreamFiles.init(Number(id)))

/** Returns the files from which a segment of HLS of a shared presentation is made. */
const partsOf = (presentation: Presentation, name: string): ReadonlyArray<string> => {
  const parsed = StreamFiles.parseTransport(name)
  const rendition = StreamFiles.sharedRenditions(presentation).find(({ prefix }) => prefix === parsed?.prefix)
  return parsed === undefined || rendition === undefined ? [] : StreamFiles.sharedParts(rendition, parsed.index)
}

/** Whether a presentation may have a file of this name. */
const mayHave = ({ format, isShared }: Presentation, name: string): boolean =>
  isShared === true
    ? name === StreamFiles.tracks || StreamFiles.isName("hls", name) || StreamFiles.isName("dash", name)
    : StreamFiles.isName(format, name)

/** Runs a conversion into a directory until it has finished, and checks its events and files. */
export const follow = <E, R>(events: Stream.Stream<ConversionEvent, E, R>, output: string) =>
  Effect.gen(function* () {
    /** Digests by name. */
    const reported = new Map<string, string>()
    const playlists = new Map<string, string>()
    const presentations: Array<Presentation> = []
    let updates = 0
    let fraction = 0
    let isFinished = false
    yield* Stream.runForEach(events, (event) =>
      Effect.sync(() => {
        assert.isFalse(isFinished, "no event after Finished")
        assert.strictEqual(
          event._tag === "Started",
          presentations.length === 0,
          "Started is the first event and comes once"
        )
        switch (event._tag) {
          case "Started":
            presentations.push(event.presentation)
            break
          case "SegmentFinished":
            assert.isFalse(reported.has(event.name), `${event.name} is reported once`)
            reported.set(event.name, digest(`${output}/${event.name}`))
            break
          case "PlaylistUpdated": {
            const named = event.name.endsWith(".mpd") ? inits(event.text) : uris(event.text)
            assert.isNotEmpty(named)
            for (const name of named) {
              const [presentation] = presentations
              const [part, ...others] = presentation?.isShared === true ? partsOf(presentation, name) : []
              if (part !== undefined) {
                assert.isTrue(reported.has(StreamFiles.tracks), "the tracks are reported before a playlist")
                assert.isTrue(reported.has(part), `${part} is reported before ${event.name} lists ${name}`)
                // At the end, the last segments may have no audio.
                const isEnded = event.text.includes("#EXT-X-ENDLIST")
                for (const other of others) assert.isTrue(isEnded || reported.has(other), `${other} is reported, too`)
                continue
              }
              assert.isTrue(reported.has(name) || playlists.has(name), `${name} is reported before ${event.name}`)
            }
            playlists.set(event.name, event.text)
            updates++
            break
          }
          case "Progressed":
            assert.isAbove(event.fraction, fraction)
            assert.isAtMost(event.fraction, 1)
            fraction = event.fraction
            break
          case "Finished":
            presentations.push(event.presentation)
            isFinished = true
        }
      })
    )
    assert.isTrue(isFinished, "there is a Finished event")
    for (const [name, before] of reported)
      assert.strictEqual(digest(`${output}/${name}`), before, `${name} is unchanged`)
    for (const [name, text] of playlists) assert.strictEqual(readFileSync(`${output}/${name}`, "utf8"), text)
    assert.deepStrictEqual(files(output), [...reported.keys(), ...playlists.keys()].toSorted())
    const [started, finished] = presentations
    if (started === undefined || finished === undefined) return assert.fail("Started and Finished have presentations")
    for (const name of files(output)) assert.isTrue(mayHave(finished, name), name)
    return { output, started, finished, segments: [...reported.keys()], playlists, updates } satisfies Outcome
  })

/**
 * Probes a file, converts it and checks the events. Of a shared presentation, it returns the segments of the format alone; those of
 * HLS are written beside its files.
 */
export const convert = (job: Pick<ConvertJob, "input" | "output" | "format" | "mode" | "limits" | "mayShare">) =>
  Effect.gen(function* () {
    const transcoder = yield* Transcoder
    const media = yield* transcoder.probe({ input: job.input })
    const outcome = yield* follow(transcoder.convert({ ...job, media }), job.output)
    if (outcome.finished.isShared !== true) return { ...outcome, media }
    const made = yield* Effect.orDie(SharedSegments.writeAll(job.output, outcome.playlists))
    const others = outcome.segments.filter((name) => StreamFiles.isName(job.format, name))
    return { ...outcome, segments: job.format === "hls" ? [...made, ...others] : others, media }
  })
