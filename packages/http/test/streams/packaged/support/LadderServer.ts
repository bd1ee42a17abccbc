/**
 * A server that packages videos and makes the lower renditions behind them, and such videos.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Requires from "@holdfast/testing/Requires"
import * as Duration from "effect/Duration"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { json } from "../../../support/Problems.ts"
import * as Process from "../../../support/Process.ts"
import * as TestServer from "../../../support/TestServer.ts"

export const missing = Requires.firstMissing(
  Requires.command("ffmpeg", "-version"),
  Requires.command("ffprobe", "-version")
)

const short = Duration.millis(20)

interface Record {
  readonly state: string
  readonly renditions: ReadonlyArray<{ readonly name: string; readonly bitrate: number }>
}

/** Runs a program while the server of this process answers it. Returns its output. */
export const run = async (program: string, ...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)(program, args, { maxBuffer: 2 ** 26, timeout: 60_000 })).stdout

/** Makes a video of ten seconds, with a keyframe every two seconds, that is packaged and gets a lower rendition. */
const makeVideo = async (sound: string): Promise<Buffer> => {
  const path = Path.join(await Process.makeDirectory(), "a.mp4")
  const picture = "-f lavfi -i testsrc2=s=640x360:r=24:d=10".split(" ")
  const codec = "-c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -g 48 -qp 20".split(" ")
  await run("ffmpeg", "-v", "error", "-y", ...picture, ...sound.split(" "), ...codec, path)
  return Fs.readFileSync(path)
}

export const withSound = "-f lavfi -i sine=f=440:d=10 -c:a aac"
export const silent = "-an"

const videos = new Map<string, Promise<Buffer>>()

/** Starts the server. */
export const start = () =>
  TestServer.start({
    transcoder: FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }),
    worker: { concurrency: 2, ladderDelay: Duration.zero, pollInterval: Duration.millis(50) },
    integrity: { pollInterval: short, backoff: short, maxBackoff: short },
    settings: { blobGrace: Duration.zero }
  })

/** Uploads a video, and returns its streams. */
export const upload = async (server: TestServer.TestServer, sound = withSound) => {
  const making = videos.get(sound) ?? makeVideo(sound)
  videos.set(sound, making)
  const video = await making
  const bucket = await server.makeBucket()
  const { id, path } = await server.makeFile(bucket, new Uint8Array(video), { name: "a.mp4" })
  const streams = `${path}/streams`
  const request = async (format: Format): Promise<Record> =>
    await json<Record>(await server.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } }))
  const names = async (format: Format) => (await request(format)).renditions.map(({ name }) => name)
  /** Waits until the lower rendition has joined. */
  const joined = async (format: Format) =>
    await expect.poll(async () => await names(format), { timeout: 120_000 }).toEqual(["360p", "240p"])
  const text = async (name: string): Promise<string> => await (await server.get(`${streams}/${name}`)).text()
  const bytes = async (name: string): Promise<Buffer> => {
    const answer = await server.get(`${streams}/${name}`)
    expect([name, answer.status]).toEqual([name, 200])
    return Buffer.from(await answer.arrayBuffer())
  }
  const statusOf = async (name: string) => (await server.get(`${streams}/${name}`)).status
  const address = async (name: string): Promise<string> => {
    const entry = await text(name.startsWith("hls") ? "hls/playlist.m3u8" : "dash/manifest.mpd")
    return `${server.url}/api/v1${streams}/${name}?apiKey=${/apiKey=(hfp_[\w-]+)/.exec(entry)?.[1] ?? ""}`
  }
  const streamBytes = async (): Promise<number> => {
    const usage = await server.get(`/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/usage`)
    return (await json<{ readonly usage: { readonly streamBytes: number } }>(usage)).usage.streamBytes
  }
  /** Waits for the pictures, which are the last files of a stream. */
  const settled = async (format: Format) =>
    await expect.poll(() => statusOf(`${format}/storyboard.vtt`), { timeout: 60_000 }).toBe(200)
  /** Whether the stream was replaced, and is READY again. */
  const isReplaced = async (): Promise<boolean> => {
    const { items } = await json<{ readonly items: ReadonlyArray<Record> }>(await server.get(streams))
    const isLogged = server.logs.some(
      (line) => line.includes("stream with a damaged segment queued again") && line.includes(id)
    )
    return isLogged && items.every(({ state }) => state === "READY")
  }
  return {
    bucket,
    video,
    path,
    streams,
    isReplaced,
    request,
    joined,
    settled,
    text,
    bytes,
    statusOf,
    address,
    streamBytes
  }
}

/** Returns the paths of a bucket's stored contents. */
export const stored = (
  server: TestServer.TestServer,
  { bucketId }: { readonly bucketId: string }
): ReadonlyArray<string> =>
  Fs.readdirSync(Path.join(server.directory, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes(bucketId))
    .map((entry) => Path.join(entry.parentPath, entry.name))

/** Returns the path of the only stored content with these bytes. */
export const find = (server: TestServer.TestServer, bucket: { readonly bucketId: string }, bytes: Buffer): string =>
  stored(server, bucket).find((path) => Buffer.compare(Fs.readFileSync(path), bytes) === 0) ?? ""
