/**
 * A server that converts videos with a fake transcoder, which a test controls.
 */
import type { ConversionWorkerOptions } from "@holdfast/core/conversions/worker/ConversionWorkerOptions"
import type { Media } from "@holdfast/core/transcoding/Media"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import type { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect } from "vitest"
import { json } from "../../support/Problems.ts"
import * as TestServer from "../../support/TestServer.ts"

export interface Record {
  readonly format: string
  readonly state: string
  readonly progress: number
  readonly renditions: ReadonlyArray<{ readonly name: string }>
  readonly error: string | null
}

export interface StreamServer extends TestServer.TestServer {
  readonly control: TranscoderControl["Service"]
  /** Uploads a video, or another content, to a bucket. */
  readonly makeVideo: (
    bucket: { readonly tenantId: string; readonly bucketId: string },
    content?: Uint8Array,
    description?: object
  ) => Promise<{ readonly id: string; readonly path: string; readonly streams: string }>
  /** Converts a video and waits until it is READY. */
  readonly convert: (streams: string, format?: "hls" | "dash") => Promise<void>
}

export interface Options extends TestServer.Options {
  /** `false` for a server without a worker. */
  readonly works?: boolean
}

/** Uploads a video, or another content, to a bucket. */
export const makeVideo = async (
  server: TestServer.TestServer,
  bucket: { readonly tenantId: string; readonly bucketId: string },
  content: Uint8Array = FakeMedia.make(FakeMedia.playable),
  description: object = {}
) => {
  const name = `${Math.random()}.mp4`
  const file = await server.makeFile(bucket, new Uint8Array(content), { name, ...description })
  return { ...file, streams: `${file.path}/streams` }
}

const worker: Partial<ConversionWorkerOptions> = { concurrency: 2 }

export const start = async ({ works = true, ...options }: Options = {}): Promise<StreamServer> => {
  const { control, transcoder } = await Effect.runPromise(FakeTranscoder.make)
  const server = await TestServer.start({
    transcoder: Layer.succeed(Transcoder, transcoder),
    ...(works ? { worker } : undefined),
    ...options
  })
  return {
    ...server,
    control,
    makeVideo: (bucket, content, description) => makeVideo(server, bucket, content, description),
    convert: async (streams, format = "hls") => {
      const answer = await server.post(`${streams}/${format}`, { headers: { prefer: "wait=30" } })
      expect([answer.status, (await json<Record>(answer)).state]).toEqual([200, "READY"])
    }
  }
}

/** Makes the content of a video of these seconds. */
export const lasting = (seconds: number, media: Media = FakeMedia.playable): Uint8Array =>
  FakeMedia.make({ ...media, duration: seconds })

/** Returns the addresses in a playlist. */
export const addresses = (playlist: string): ReadonlyArray<string> =>
  playlist.split("\n").filter((line) => line !== "" && !line.startsWith("#"))

/** Returns the playback key in an address. */
export const keyIn = (address: string): string => new URL(address, "http://x").searchParams.get("apiKey") ?? ""
