/**
 * Streams whose segments are cut from the content when they are read. The servers have no worker: the request alone makes them READY.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { beforeEach, expect, it } from "vitest"
import { describeEach } from "../support/EachDatabase.ts"
import * as Process from "../support/Process.ts"
import { makeVideo, run } from "./support/Videos.ts"

const { describe } = Requires.requires(
  Requires.firstMissing(Requires.command("ffmpeg", "-version"), Requires.command("ffprobe", "-version"))
)

const h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-pix_fmt", "yuv420p", "-g", "24"]

/** Returns hashes of the decoded frames, and of the packets of audio. */
const decode = async (bytes: Uint8Array, kind: "v" | "a"): Promise<ReadonlyArray<string>> => {
  const file = Path.join(await Process.makeDirectory(), "a")
  await Fs.writeFile(file, bytes)
  const audio = kind === "a" ? ["-c", "copy", "-bsf:a", "aac_adtstoasc"] : []
  const text = run("ffmpeg", "-v", "error", "-i", file, "-map", `0:${kind}`, ...audio, "-f", "framemd5", "-")
  const lines = text.split("\n").filter((line) => /^\d/.test(line))
  return lines.map((line) => line.split(",")[5]?.trim() ?? "")
}

const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer())

const packaged = { state: "READY", progress: 1, error: null, renditions: [{ width: 192, height: 108 }] }

describe("packaging", () => {
  let made: Promise<Uint8Array<ArrayBuffer>> | undefined
  let video: Uint8Array<ArrayBuffer>
  beforeEach(async () => {
    made ??= makeVideo("192x108", 10, ...h264)
    video = await made
  })

  describeEach(
    "stream of an MP4 without a worker",
    (current) => {
      /** Uploads a video and requests a stream. Returns how its files are read. */
      const request = async (format: "dash" | "hls", content = video, mode = "auto", wait = 10) => {
        const server = current()
        const bucket = await server.makeBucket()
        const { path } = await server.makeFile(bucket, content, { name: "a.mp4" })
        const streams = `${path}/streams`
        const answer = await server.post(`${streams}/${format}`, {
          json: { mode },
          headers: { prefer: `wait=${wait}` }
        })
        const get = (name: string, headers: Record<string, string> = {}, method = "GET") =>
          server.request(method, `${streams}/${format}/${name}`, { headers })
        return { path, streams, record: await answer.json(), get }
      }

      it("HLS: request → READY; segments have the frames and sounds of the content", async () => {
        const { get, record } = await request("hls")
        expect(record).toMatchObject(packaged)
        const names = [...(await (await get("playlist.m3u8")).text()).matchAll(/^(index\d+\.ts)\?/gm)].map(
          ([, name = ""]) => name
        )
        // The keyframes are two seconds apart.
        expect(names).toEqual(["index0.ts", "index1.ts", "index2.ts", "index3.ts", "index4.ts"])
        const segments: Array<Uint8Array> = []
        for (const name of names) {
          const answer = await get(name)
          expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "video/mp2t"])
          segments.push(await bytesOf(answer))
          expect(Number(answer.headers.get("content-length"))).toBe(segments.at(-1)?.length)
        }
        const whole = Buffer.concat(segments)
        expect(await decode(whole, "v")).toEqual(await decode(video, "v"))
        expect(await decode(whole, "a")).toEqual(await decode(video, "a"))
        expect((await get("index5.ts")).status).toBe(404)
        expect((await get("index.bin")).status).toBe(404)
      })

      it("DASH: request → READY; segments have the frames and sounds of the content", async () => {
        const { get, record } = await request("dash")
        expect(record).toMatchObject(packaged)
        const manifest = await (await get("manifest.mpd")).text()
        expect(manifest).toMatch(/mediaPresentationDuration="PT10\.\d+S"/)
        for (const [id, kind] of [
          [0, "v"],
          [1, "a"]
        ] as const) {
          const parts = await Promise.all(
            [`init-${id}.m4s`, ...[1, 2, 3, 4, 5].map((number) => `chunk-${id}-${number}.m4s`)].map(async (name) =>
              bytesOf(await get(name))
            )
          )
          expect(await decode(Buffer.concat(parts), kind)).toEqual(await decode(video, kind))
        }
        expect((await get("chunk-0-6.m4s")).status).toBe(404)
        expect((await get("init-2.m4s")).status).toBe(404)
      })

      it("segment: range, HEAD and If-None-Match → as those of a stored file", async () => {
        const { get } = await request("hls")
        const answer = await get("index1.ts")
        const whole = await bytesOf(answer)
        const etag = answer.headers.get("etag") ?? ""
        expect(etag).toMatch(/^"[^"]+"$/)
        const part = await get("index1.ts", { range: "bytes=1000-70999" })
        expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 1000-70999/${whole.length}`])
        expect(Buffer.compare(await bytesOf(part), whole.subarray(1000, 71_000))).toBe(0)
        const last = await get("index1.ts", { range: "bytes=-10" })
        expect(Buffer.compare(await bytesOf(last), whole.subarray(-10))).toBe(0)
        const head = await get("index1.ts", {}, "HEAD")
        expect([head.status, head.headers.get("content-length")]).toEqual([200, String(whole.length)])
        expect((await get("index1.ts", { "if-none-match": etag })).status).toBe(304)
        expect((await get("index1.ts", { range: `bytes=${whole.length}-` })).status).toBe(416)
      })

      it("segment: requested again and again → the same bytes, also in ranges; stream deleted → 404", async () => {
        for (const format of ["hls", "dash"] as const) {
          const name = format === "hls" ? "index1.ts" : "chunk-0-2.m4s"
          const { get, streams } = await request(format)
          const whole = await bytesOf(await get(name))
          for (let count = 0; count < 3; count++) {
            const again = await get(name)
            expect([again.status, again.headers.get("content-length")]).toEqual([200, String(whole.length)])
            expect(Buffer.compare(await bytesOf(again), whole)).toBe(0)
          }
          const part = await get(name, { range: "bytes=500-1499" })
          expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 500-1499/${whole.length}`])
          expect(Buffer.compare(await bytesOf(part), whole.subarray(500, 1500))).toBe(0)
          expect((await current().request("DELETE", `${streams}/${format}`)).status).toBe(204)
          expect((await get(name)).status).toBe(404)
        }
      })

      it("content replaced, stream deleted → 404", async () => {
        const { get, path, streams } = await request("hls")
        const api = current()
        expect((await api.request("DELETE", `${streams}/hls`)).status).toBe(204)
        expect((await get("index0.ts")).status).toBe(404)
        expect((await api.post(`${streams}/hls`, { headers: { prefer: "wait=10" } })).status).toBe(200)
        expect((await get("index0.ts")).status).toBe(200)
        await api.post(`${path}/reupload`, { body: "other", headers: { "content-type": "application/octet-stream" } })
        expect((await get("index0.ts")).status).toBe(404)
      })

      it("mode transcode, or a cut-off file → QUEUED for a worker", async () => {
        const transcode = await request("hls", video, "transcode", 1)
        expect(transcode.record).toMatchObject({ state: "QUEUED" })
        const cutOff = await request("hls", video.slice(0, video.length / 2), "auto", 1)
        expect(cutOff.record).toMatchObject({ state: "QUEUED" })
      })
    },
    { transcoder: Transcoder.layerElsewhere }
  )
})
