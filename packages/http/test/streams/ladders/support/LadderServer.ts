/**
 * A server that packages or copies videos and makes the lower renditions behind them, and such videos.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Requires from "@holdfast/testing/Requires"
import * as Duration from "effect/Duration"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, vi } from "vitest"
import { json } from "../../../support/Problems.ts"
import * as Process from "../../../support/Process.ts"
import * as TestServer from "../../../support/TestServer.ts"
import { frameHashes, run } from "../../support/Programs.ts"

export const missing = Requires.firstMissing(
  Requires.command("ffmpeg", "-version"),
  Requires.command("ffprobe", "-version")
)

const short = Duration.millis(20)

interface Record {
  readonly state: string
  readonly renditions: ReadonlyArray<{ readonly name: string; readonly bitrate: number }>
}

export interface Packet {
  readonly codec_type: string
  readonly pts_time: string
  readonly dts_time: string
  readonly data_hash: string
}

/** Returns how many frames are decoded of a track, and fails if FFmpeg warns of one. */
export const decoded = async (input: string, track: string): Promise<number> => (await frameHashes(input, track)).length

/** FFmpeg's inputs and its options, without the codec of the video. */
export interface Recipe {
  readonly inputs: string
  readonly options: string
  /** The extension of the name. Default: `mp4`. */
  readonly container?: "mkv" | "mp4" | "ts"
}

const picture = (seconds: number) => `-f lavfi -i testsrc2=s=640x360:r=24:d=${seconds}`
const sound = (seconds: number) => `-f lavfi -i sine=f=440:d=${seconds}`

/** Videos with a keyframe every two seconds at most, that are packaged and get a lower rendition. The plain one has five segments. */
export const recipes = {
  plain: { inputs: `${picture(10)} ${sound(10)}`, options: "-bf 2 -g 48 -c:a aac" },
  silent: { inputs: picture(10), options: "-bf 2 -g 48" },
  "with audio that begins later": {
    inputs: `${picture(6)} -itsoffset 0.7 ${sound(6)}`,
    options: "-bf 2 -g 48 -c:a aac"
  },
  "with audio that ends earlier": {
    inputs: `${picture(6)} ${sound(3)}`,
    options: "-bf 0 -g 48 -c:a aac -ar 48000 -ac 2"
  },
  "in fragments": {
    inputs: `${picture(6)} ${sound(6)}`,
    options: "-bf 2 -g 48 -c:a aac -movflags frag_keyframe+empty_moov"
  },
  "of frames at uneven intervals": {
    inputs: `${picture(6)} ${sound(6)}`,
    options: "-vf select='not(mod(n\\,3))+lt(mod(n\\,48)\\,12)' -fps_mode vfr -bf 0 -g 24 -c:a aac"
  },
  "of one frame each second": {
    inputs: `${picture(6)} ${sound(6)}`,
    options: "-vf noise=alls=60:allf=t -r 1 -bf 0 -g 2 -c:a aac"
  }
} as const satisfies { readonly [name: string]: Recipe }

/** Videos that FFmpeg copies, and that get a lower rendition. */
export const copied = {
  "in Matroska": { inputs: `${picture(10)} ${sound(10)}`, options: "-bf 2 -g 48 -c:a aac", container: "mkv" },
  "in MPEG-TS": { inputs: `${picture(10)} ${sound(10)}`, options: "-bf 2 -g 48 -c:a aac", container: "ts" },
  "in Matroska without audio": { inputs: picture(10), options: "-bf 2 -g 48", container: "mkv" },
  "with audio that is encoded": {
    inputs: `${picture(10)} ${sound(10)}`,
    options: "-bf 2 -g 48 -c:a libopus",
    container: "mkv"
  },
  "in Matroska with audio that begins later": {
    inputs: `${picture(10)} -itsoffset 0.7 ${sound(10)}`,
    options: "-bf 2 -g 48 -c:a aac",
    container: "mkv"
  },
  "in Matroska with audio that ends earlier": {
    inputs: `${picture(10)} ${sound(3)}`,
    options: "-bf 0 -g 48 -c:a aac -ar 48000 -ac 2",
    container: "mkv"
  },
  "in Matroska with AC-3": {
    inputs: `${picture(10)} ${sound(10)}`,
    options: "-bf 2 -g 48 -ac 6 -c:a ac3",
    container: "mkv"
  },
  /** The audio has to be encoded. */
  "in Matroska with a gap in its audio": {
    inputs: `${picture(10)} ${sound(10)}`,
    options: "-bf 2 -g 48 -af aselect='lt(t\\,1)+gt(t\\,6)' -c:a aac",
    container: "mkv"
  }
} as const satisfies { readonly [name: string]: Recipe }

const nameOf = ({ container = "mp4" }: Recipe): string => `a.${container}`

const makeVideo = async (recipe: Recipe): Promise<Buffer> => {
  const { inputs, options } = recipe
  const path = Path.join(await Process.makeDirectory(), nameOf(recipe))
  const codec = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -qp 20"
  await run("ffmpeg", ..."-v error -y".split(" "), ...`${inputs} ${codec} ${options}`.split(" "), path)
  return Fs.readFileSync(path)
}

const videos = new Map<Recipe, Promise<Buffer>>()

/** Starts the server. */
const start = () =>
  TestServer.start({
    transcoder: FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }),
    worker: { concurrency: 2, ladderDelay: Duration.zero, pollInterval: Duration.millis(50) },
    integrity: { pollInterval: short, backoff: short, maxBackoff: short },
    settings: { blobGrace: Duration.zero }
  })

/** Registers the hooks of a server that runs while the tests of a file run, which get more time. Must be called where they are registered. */
export const use = (): (() => TestServer.TestServer) => {
  vi.setConfig({ testTimeout: 240_000 })
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await start()
  }, 60_000)
  afterAll(async () => {
    await server.close()
    vi.resetConfig()
  })
  return () => server
}

/** Writes a file. Returns its path. */
export const save = async (bytes: Uint8Array, name: string): Promise<string> => {
  const path = Path.join(await Process.makeDirectory(), name)
  Fs.writeFileSync(path, bytes)
  return path
}

/** Returns hashes of the frames of AC-3. */
export const ac3 = async (input: string): Promise<ReadonlyArray<string>> => {
  const report = await run("ffprobe", ..."-v error -show_entries stream=index,codec_name -of csv=p=0".split(" "), input)
  const [, track = ""] = /^(\d+),ac3/m.exec(report) ?? []
  return await frameHashes(input, `0:${track}`, "-c", "copy")
}

/** Returns the packets of a segment. */
export const packets = async (bytes: Uint8Array) => {
  const path = await save(bytes, "a.ts")
  const output = await run("ffprobe", ..."-v error -show_packets -show_data_hash md5 -of json".split(" "), path)
  const all = (JSON.parse(output) as { readonly packets: ReadonlyArray<Packet> }).packets
  const ofTrack = (track: string) => all.filter(({ codec_type }) => codec_type === track)
  return { video: ofTrack("video"), audio: ofTrack("audio") }
}

/** Uploads a video, and returns its streams. */
export const upload = async (server: TestServer.TestServer, recipe: Recipe = recipes.plain) => {
  const making = videos.get(recipe) ?? makeVideo(recipe)
  videos.set(recipe, making)
  const video = await making
  const bucket = await server.makeBucket()
  const { id, path } = await server.makeFile(bucket, new Uint8Array(video), { name: nameOf(recipe) })
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
