/**
 * Follows conversions, and holds each of their events against the port's promises.
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

/** What came of a conversion. */
export interface Outcome {
  readonly output: string
  readonly started: Presentation
  readonly finished: Presentation
  /** Names in the order in which they were told. */
  readonly segments: ReadonlyArray<string>
  /** The last text of each playlist. */
  readonly playlists: ReadonlyMap<string, string>
  /** How often a playlist was told, in all. */
  readonly updates: number
}

/** The URIs of an HLS playlist. */
export const uris = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))

/** The sum of a media playlist's segments, in seconds. */
export const seconds = (text: string): number =>
  [...text.matchAll(/^#EXTINF:([\d.]+)/gm)].reduce((sum, [, duration]) => sum + Number(duration), 0)

const files = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(directory.length + 1))
    .toSorted()

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

/** The files that a DASH manifest needs at least. */
const inits = (manifest: string): ReadonlyArray<string> =>
  [...manifest.matchAll(/<Representation [^>]*?\bid="(\d+)"/g)].map(([, id]) => StreamFiles.init(Number(id)))

/** Follows a conversion into a directory to its end. */
export const follow = <E, R>(events: Stream.Stream<ConversionEvent, E, R>, output: string) =>
  Effect.gen(function* () {
    const told = new Map<string, string>()
    const playlists = new Map<string, string>()
    const presentations: Array<Presentation> = []
    let updates = 0
    let fraction = 0
    let isFinished = false
    yield* Stream.runForEach(events, (event) =>
      Effect.sync(() => {
        assert.isFalse(isFinished, "nothing comes after the end")
        assert.strictEqual(event._tag === "Started", presentations.length === 0, "the beginning comes once and first")
        switch (event._tag) {
          case "Started":
            presentations.push(event.presentation)
            break
          case "SegmentFinished":
            assert.isFalse(told.has(event.name), `${event.name} is told once`)
            told.set(event.name, digest(`${output}/${event.name}`))
            break
          case "PlaylistUpdated": {
            const named = event.name.endsWith(".mpd") ? inits(event.text) : uris(event.text)
            assert.isNotEmpty(named)
            for (const name of named) {
              assert.isTrue(told.has(name) || playlists.has(name), `${name} is told before ${event.name}`)
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
    assert.isTrue(isFinished, "the end is told")
    for (const [name, before] of told) assert.strictEqual(digest(`${output}/${name}`), before, `${name} stayed`)
    for (const [name, text] of playlists) assert.strictEqual(readFileSync(`${output}/${name}`, "utf8"), text)
    assert.deepStrictEqual(files(output), [...told.keys(), ...playlists.keys()].toSorted())
    const [started, finished] = presentations
    if (started === undefined || finished === undefined) return assert.fail("both presentations are told")
    for (const name of files(output)) assert.isTrue(StreamFiles.isName(finished.format, name), name)
    return { output, started, finished, segments: [...told.keys()], playlists, updates } satisfies Outcome
  })

/** Probes a file and converts it to its end. */
export const convert = (job: Pick<ConvertJob, "input" | "output" | "format" | "mode" | "limits">) =>
  Effect.gen(function* () {
    const transcoder = yield* Transcoder
    const media = yield* transcoder.probe({ input: job.input })
    const outcome = yield* follow(transcoder.convert({ ...job, media }), job.output)
    return { ...outcome, media }
  })
