import { assert, layer, vi } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { cpSync, readdirSync, writeFileSync } from "node:fs"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Files from "./support/Files.ts"
import * as Loopback from "./support/Loopback.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"
import * as Trace from "./support/Trace.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** Contents of a malicious file that refers to `target`. */
const contents: ReadonlyArray<readonly [what: string, content: (target: string) => string]> = [
  ["an HLS playlist", (target) => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`],
  ["a multivariant playlist", (target) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${target}\n`],
  [
    "a playlist with an initialization segment",
    (target) => `#EXTM3U\n#EXT-X-MAP:URI="${target}"\n#EXTINF:4,\ninput\n#EXT-X-ENDLIST\n`
  ],
  ["a concatenation list", (target) => `ffconcat version 1.0\nfile '${target}'\nduration 4\n`],
  [
    "a DASH manifest",
    (target) =>
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT6S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="0" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`
  ],
  [
    "a session description",
    (target) =>
      `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\na=control:${target}\nm=video 5004 RTP/AVP 96\n`
  ],
  [
    "an SVG picture that includes another",
    (target) => `<svg xmlns="http://www.w3.org/2000/svg"><image href="${target}"/></svg>`
  ]
]

const services = Effect.gen(function* () {
  const [programs, temporary] = [yield* directory, yield* directory]
  const trace = Trace.install(programs)
  const transcoder = FfmpegTranscoder.layer({
    niceness: 0,
    ffmpeg: `${programs}/ffmpeg`,
    temporaryDirectory: temporary,
    // ffmpeg itself must open nothing else. In a sandbox there would be nothing else to open, and strace could not write.
    sandbox: "off"
  })
  return Layer.mergeAll(transcoder, Layer.succeed(Trace.Trace, trace), Loopback.layer)
})

/** Converts a file without probing it first, and then probes it. */
const convertAndProbe = (input: string) =>
  Effect.gen(function* () {
    const transcoder = yield* Transcoder
    const output = yield* directory
    const media = FakeMedia.playable
    yield* Effect.exit(Stream.runDrain(transcoder.convert({ input, media, output, format: "hls" })))
    const probed = yield* Effect.exit(transcoder.probe({ input }))
    return { probed, segments: readdirSync(output).filter((name) => name.endsWith(".ts")) }
  })

const missing = Requires.firstMissing(Tools.missing, Requires.command("strace", "-o", "/dev/null", "true"))

Requires.requires(missing).describe("malicious file", () => {
  layer(Layer.unwrap(services), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    /** Paths that are opened for a harmless file: libraries, the input, the output. */
    const harmless = new Set<string>()

    it.effect("convert: harmless file → opens only the input, its output and libraries", () =>
      Effect.gen(function* () {
        const trace = yield* Trace.Trace
        const { probed, segments } = yield* convertAndProbe(Samples.path("h264.mp4"))
        assert.strictEqual(probed._tag, "Success")
        assert.isNotEmpty(segments)
        for (const path of trace.take().opened) harmless.add(path)
        assert.isTrue([...harmless].some((path) => path.endsWith("/input")))
        assert.isTrue([...harmless].some((path) => path.endsWith("index0.ts.tmp")))
      })
    )

    it.effect.each(contents)(
      "convert: file is %s → fails, opens no other file and makes no connection",
      ([, content]) =>
        Effect.gen(function* () {
          const trace = yield* Trace.Trace
          const server = yield* Loopback.Loopback
          const [own, other] = [yield* directory, yield* directory]
          for (const path of [own, other]) cpSync(Samples.path("h264.mp4"), `${path}/secret.ts`)

          const targets = ["secret.ts", `${own}/secret.ts`, `${other}/secret.ts`, `file:${other}/secret.ts`, server.url]
          for (const [index, target] of targets.entries()) {
            const input = `${own}/${index}.${index % 2 === 0 ? "mp4" : "mkv"}`
            writeFileSync(input, content(target))
            const { probed, segments } = yield* convertAndProbe(input)
            assert.strictEqual(probed._tag, "Failure")
            assert.deepStrictEqual(segments, [])
          }
          const { connected, opened } = trace.take()
          assert.isNotEmpty(opened)
          assert.deepStrictEqual(connected, [])
          assert.deepStrictEqual(
            opened.filter((path) => !harmless.has(path)),
            []
          )
          assert.strictEqual(server.requests(), 0)
        })
    )

    it.effect("ffprobe: started → gets only allowed environment variables", () =>
      Effect.gen(function* () {
        const programs = yield* directory
        const output = `${programs}/environment`
        Files.program(`${programs}/ffmpeg`, `exec ${Tools.ffmpeg} "$@"`)
        Files.program(`${programs}/ffprobe`, `env > ${output}\nexec ${Tools.ffprobe} "$@"`)
        process.env["HOLDFAST_TEST_SECRET"] = "secret value"
        const transcoder = yield* Layer.build(
          FfmpegTranscoder.layer({ niceness: 0, ffmpeg: `${programs}/ffmpeg`, sandbox: "off" })
        )
        yield* Effect.provideContext(
          Effect.flatMap(Transcoder, ({ probe }) => probe({ input: Samples.path("h264.mp4") })),
          transcoder
        )
        delete process.env["HOLDFAST_TEST_SECRET"]
        const names = Files.lines(output).map((line) => line.split("=")[0] ?? "")
        const allowed = ["PATH", "LC_ALL", "AV_LOG_FORCE_NOCOLOR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]
        // The shell sets the others itself.
        assert.deepStrictEqual(
          names.filter((name) => ![...allowed, "PWD", "OLDPWD", "SHLVL", "_"].includes(name)),
          []
        )
      })
    )
  })
})
