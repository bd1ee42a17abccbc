/**
 * Files from an attacker, uploaded as videos: each names another file of the bucket, one of the machine or a server on it.
 * None is opened, nobody is asked, and nothing of them is told.
 */
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs/promises"
import { createServer } from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as Samples from "./support/Samples.ts"

const mpd = (target: string) =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT6S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="0" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`

/** What a file says, given where another one is. */
const disguises: ReadonlyArray<readonly [string, (target: string) => string]> = [
  ["playlist.mp4", (target) => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`],
  ["variants.mov", (target) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${target}\n`],
  ["manifest.webm", mpd],
  ["list.mkv", (target) => `ffconcat version 1.0\nfile '${target}'\nduration 4\n`]
]

const missing = Requires.all(Samples.missing, Requires.command("strace", "-o", "/dev/null", "true"))

Requires.requires(missing).describe("a file that leads elsewhere", () => {
  let server: TestServer.TestServer
  let place: string
  let url: string
  let requests = 0
  const other = createServer((_, response) => {
    requests++
    response.end("do not tell")
  })

  vi.setConfig({ testTimeout: 60_000 })
  beforeAll(async () => {
    place = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-hostile-"))
    for (const program of ["ffmpeg", "ffprobe"]) {
      const trace = `strace -f -qq -s 4096 -o "${place}/$$.trace" -e trace=open,openat,openat2,connect`
      const real = (await Samples.run("/bin/sh", "-c", `command -v ${program}`)).trim()
      await Fs.writeFile(Path.join(place, program), `#!/bin/sh\nexec ${trace} ${real} "$@"\n`, { mode: 0o755 })
    }
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const address = other.address()
    url = `http://127.0.0.1:${address === null || typeof address === "string" ? 0 : address.port}/secret.ts`
    server = await TestServer.start({
      transcoder: FfmpegTranscoder.layer({ ffmpeg: Path.join(place, "ffmpeg"), preset: "ultrafast" }),
      worker: {}
    })
  })
  afterAll(async () => {
    other.close()
    await server.close()
    await Fs.rm(place, { recursive: true, force: true })
    vi.resetConfig()
  })

  /** What the programs called since the last time. */
  const calls = async () => {
    const names = (await Fs.readdir(place)).filter((name) => name.endsWith(".trace"))
    const texts = await Promise.all(names.map((name) => Fs.readFile(Path.join(place, name), "utf8")))
    await Promise.all(names.map((name) => Fs.rm(Path.join(place, name))))
    return texts.join("")
  }

  it("opens nothing, asks nobody and tells nothing", async () => {
    const bucket = await server.makeBucket()
    const secret = Path.join(place, "secret.ts")
    await Fs.copyFile(await Samples.draw(place, "h264.mp4"), secret)
    const wait = { headers: { prefer: "wait=60" } }

    // So that one knows what is seen of a file that is opened.
    const harmless = await server.makeFile(bucket, await Samples.make(place, "silent.mp4"), { name: "harmless.mp4" })
    expect((await server.post(`${harmless.path}/streams/hls`, wait)).status).toBe(200)
    expect(await calls()).toMatch(/open.*\/input"/)

    await server.makeFile(bucket, await Samples.make(place, "h264.mp4"), { name: "secret.ts" })
    const stored = (await Fs.readdir(Path.join(server.directory, "blobs"), { recursive: true })).map((name) =>
      Path.join(server.directory, "blobs", name)
    )
    const targets = ["secret.ts", secret, `file:${secret}`, ...stored.slice(-1), url]
    for (const [name, write] of disguises) {
      for (const [index, target] of targets.entries()) {
        const content = new TextEncoder().encode(write(target))
        const { path } = await server.makeFile(bucket, content, { name: `${index}-${name}` })
        const asked = await server.post(`${path}/streams/hls`, wait)
        const answer = asked.status === 422 ? asked : await server.get(`${path}/streams/hls/playlist.m3u8`)
        const told = (asked === answer ? "" : await asked.text()) + (await answer.text())
        expect([answer.status, told]).toEqual([422, expect.stringContaining("not_a_video")])
        for (const leak of ["do not tell", "secret", place, url]) expect(told).not.toContain(leak)
      }
    }
    const seen = await calls()
    expect(seen).toMatch(/open.*\/input"/)
    // `input` alone is the file itself, below a directory of its own.
    expect(seen.split("\n").filter((line) => /secret|\/blobs\//.test(line))).toEqual([])
    expect(seen.split("\n").filter((line) => line.includes("connect(") && !line.includes("AF_UNIX"))).toEqual([])
    expect(requests).toBe(0)
    expect(server.logs.join("\n")).not.toMatch(/do not tell|secret\.ts/)
  })
})
