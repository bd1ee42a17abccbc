/**
 * Conversions by the service, asked for as its callers do.
 */
import { openAsBlob } from "node:fs"
import * as Effect from "effect/Effect"
import { attempt, BenchFailure } from "./BenchFailure.ts"
import * as CpuMeter from "./CpuMeter.ts"
import type { Holdfast } from "./HoldfastProcess.ts"
import type { Sample } from "./Measure.ts"
import type * as Tenancy from "./Tenancy.ts"

export type Format = "hls" | "dash"

export interface Video {
  readonly holdfast: Holdfast
  /** A path of the video's streams, with its key: `streams("/hls")`. */
  readonly streams: (below: string) => string
}

const urlOf = ({ holdfast }: Video, path: string): string => `http://127.0.0.1:${holdfast.port}${path}`

const ask = (video: Video, method: string, below: string, init: RequestInit = {}) =>
  attempt(`${method} streams${below}`, () => fetch(urlOf(video, video.streams(below)), { method, ...init }))

/** A file of this name with the content of a local one. */
export const store = (
  holdfast: Holdfast,
  tenancy: Tenancy.Tenancy,
  name: string,
  path: string
): Effect.Effect<Video, BenchFailure> =>
  Effect.gen(function* () {
    const id = yield* tenancy.reserve(name)
    const url = `http://127.0.0.1:${holdfast.port}${tenancy.files(`/${id}/reupload`)}`
    yield* attempt("Uploading a video", async () => {
      const headers = { "content-type": "application/octet-stream" }
      const answer = await fetch(url, { method: "POST", headers, body: await openAsBlob(path) })
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    })
    return { holdfast, streams: (below) => tenancy.files(`/${id}/streams${below}`) }
  })

/** Removes a conversion, so that it can be asked for once more. */
export const remove = (video: Video, format: Format): Effect.Effect<void, BenchFailure> =>
  Effect.asVoid(ask(video, "DELETE", `/${format}`))

/** Converts to the end. */
export const convert = (
  video: Video,
  format: Format,
  mode: "auto" | "transcode" = "auto"
): Effect.Effect<void, BenchFailure> =>
  Effect.gen(function* () {
    const headers = { "content-type": "application/json", prefer: "wait=60" }
    while (true) {
      const answer = yield* ask(video, "POST", `/${format}`, { headers, body: JSON.stringify({ mode }) })
      const text = yield* attempt("The answer", () => answer.text())
      if (answer.status === 200) return
      if (answer.status !== 202 || text.includes('"FAILED"')) {
        return yield* new BenchFailure({ message: `The conversion: ${answer.status} ${text}` })
      }
    }
  })

/** What the service and the programs that it starts take for something. */
export const measured = (
  { holdfast }: Video,
  work: Effect.Effect<void, BenchFailure>
): Effect.Effect<Sample, BenchFailure> =>
  Effect.gen(function* () {
    const before = yield* CpuMeter.ofFamily(holdfast.pid)
    const begun = performance.now()
    yield* work
    const wallMs = performance.now() - begun
    return { cpuMs: ((yield* CpuMeter.ofFamily(holdfast.pid)) - before) * 1000, databaseMs: 0, wallMs }
  })

/** The bytes behind the first address of a playlist, once there is one: what a player needs to begin. */
export const firstSegment = (
  video: Video
): Effect.Effect<{ readonly path: string; readonly bytes: number }, BenchFailure> =>
  Effect.gen(function* () {
    const playlist = video.streams("/hls/playlist.m3u8")
    return yield* attempt("The first segment", async () => {
      const answer = await fetch(urlOf(video, playlist))
      const text = await answer.text()
      const address = text.split("\n").find((line) => line !== "" && !line.startsWith("#"))
      if (!answer.ok || address === undefined) throw new Error(`${answer.status} ${text}`)
      const { pathname, search } = new URL(address, urlOf(video, playlist))
      const segment = await fetch(urlOf(video, pathname + search))
      const { byteLength } = await segment.arrayBuffer()
      if (!segment.ok || byteLength === 0) throw new Error(`The segment: ${segment.status}, ${byteLength} bytes`)
      return { path: pathname + search, bytes: byteLength }
    })
  })

/** Asks for a conversion, without waiting. */
export const request = (video: Video, format: Format): Effect.Effect<void, BenchFailure> =>
  Effect.flatMap(ask(video, "POST", `/${format}`), (answer) =>
    answer.ok ? Effect.void : Effect.fail(new BenchFailure({ message: `The conversion: ${answer.status}` }))
  )
