/**
 * Malicious files, uploaded as videos: each refers to another file of the bucket, to a file of the machine or to a server on
 * it. FFmpeg must not open these, and no response may contain anything of them.
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

/** Contents of a malicious file that refers to `target`, by file name. */
const disguises: ReadonlyArray<readonly [string, (target: string) => string]> = [
  ["playlist.mp4", (target) => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`],
  ["variants.mov", (target) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${target}\n`],
  ["manifest.webm", mpd],
  ["list.mkv", (target) => `ffconcat version 1.0\nfile '${target}'\nduration 4\n`]
]

const missing = Requires.firstMissing(Samples.missing, Requires.command("strace", "-o", "/dev/null", "true"))

Requires.requires(missing).describe("malicious file", () => {
  let server: TestServer.TestServer
  let directory: string
  let url: string
  let requests = 0
  const other = createServer((_, response) => {
    requests++
    response.end("secret value")
  })

  vi.setConfig({ testTimeout: 60_000 })
  beforeAll(async () => {
    directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-hostile-"))
    for (const program of ["ffmpeg", "ffprobe"]) {
      const trace = `strace -f -qq -s 4096 -o "${directory}/$$.trace" -e trace=open,openat,openat2,connect`
      const real = (await Samples.run("/bin/sh", "-c", `command -v ${program}`)).trim()
      await Fs.writeFile(Path.join(directory, program), `#!/bin/sh\nexec ${trace} ${real} "$@"\n`, { mode: 0o755 })
    }
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const address = other.address()
    url = `http://127.0.0.1:${address === null || typeof address === "string" ? 0 : address.port}/secret.ts`
    server = await TestServer.start({
      transcoder: FfmpegTranscoder.layer({
        niceness: 0,
        ffmpeg: Path.join(directory, "ffmpeg"),
        preset: "ultrafast",
        // In a sandbox strace could not write its file.
        sandbox: "off"
      }),
      worker: {}
    })
  })
  afterAll(async () => {
    other.close()
    await server.close()
    await Fs.rm(directory, { recursive: true, force: true })
    vi.resetConfig()
  })

  /** Returns the system calls of the programs since the last call. */
  const calls = async () => {
    const names = (await Fs.readdir(directory)).filter((name) => name.endsWith(".trace"))
    const texts = await Promise.all(names.map((name) => Fs.readFile(Path.join(directory, name), "utf8")))
    await Promise.all(names.map((name) => Fs.rm(Path.join(directory, name))))
    return texts.join("")
  }

  it("file refers to another file or a server → not_a_video; nothing is opened, requested or leaked", async () => {
    const bucket = await server.makeBucket()
    const secret = Path.join(directory, "secret.ts")
    await Fs.copyFile(await Samples.draw(directory, "h264.mp4"), secret)
    const wait = { headers: { prefer: "wait=60" } }

    // Shows that the trace contains the files that are opened.
    const harmless = await server.makeFile(bucket, await Samples.make(directory, "silent.mp4"), {
      name: "harmless.mp4"
    })
    const encoded = { ...wait, json: { mode: "transcode" } }
    expect((await server.post(`${harmless.path}/streams/hls`, encoded)).status).toBe(200)
    expect(await calls()).toMatch(/open.*\/input"/)

    await server.makeFile(bucket, await Samples.make(directory, "h264.mp4"), { name: "secret.ts" })
    const stored = (await Fs.readdir(Path.join(server.directory, "blobs"), { recursive: true })).map((name) =>
      Path.join(server.directory, "blobs", name)
    )
    const targets = ["secret.ts", secret, `file:${secret}`, ...stored.slice(-1), url]
    for (const [name, write] of disguises) {
      for (const [index, target] of targets.entries()) {
        const content = new TextEncoder().encode(write(target))
        const { path } = await server.makeFile(bucket, content, { name: `${index}-${name}` })
        const requested = await server.post(`${path}/streams/hls`, wait)
        const answer = requested.status === 422 ? requested : await server.get(`${path}/streams/hls/playlist.m3u8`)
        const texts = (requested === answer ? "" : await requested.text()) + (await answer.text())
        expect([answer.status, texts]).toEqual([422, expect.stringContaining("not_a_video")])
        for (const leak of ["secret value", "secret", directory, url]) expect(texts).not.toContain(leak)
      }
    }
    const seen = await calls()
    expect(seen).toMatch(/open.*\/input"/)
    // `input` is the link to the file itself, in a directory of its own.
    expect(seen.split("\n").filter((line) => /secret|\/blobs\//.test(line))).toEqual([])
    expect(seen.split("\n").filter((line) => line.includes("connect(") && !line.includes("AF_UNIX"))).toEqual([])
    expect(requests).toBe(0)
    expect(server.logs.join("\n")).not.toMatch(/secret value|secret\.ts/)
  })
})
