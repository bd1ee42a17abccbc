import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
const [input, format = "hls", second] = process.argv.slice(2)
const out = "/tmp/ffx/try-out/" + input!.split("/").pop() + "." + format
Fs.rmSync(out, { recursive: true, force: true })
Fs.mkdirSync(out, { recursive: true })
const t0 = performance.now()
const at = () => `${Math.round(performance.now() - t0)}ms`
const program = Effect.gen(function* () {
  const t = yield* Transcoder
  const media = yield* t.probe({ input: input! })
  console.log(at(), JSON.stringify(media))
  let p: any
  yield* Stream.runForEach(t.convert({ input: input!, media, output: out, format: format as any }), (e) =>
    Effect.sync(() => {
      p = e
      console.log(at(), e._tag, e._tag === "PlaylistUpdated" ? e.name : JSON.stringify(e))
    })
  )
  if (second) {
    const out2 = out + "2"
    Fs.rmSync(out2, { recursive: true, force: true })
    Fs.mkdirSync(out2, { recursive: true })
    yield* Stream.runForEach(
      t.repackage({ source: out, presentation: p.presentation, output: out2, format: second as any }),
      (e) =>
        Effect.sync(() => {
          console.log(at(), e._tag, e._tag === "PlaylistUpdated" ? e.name : JSON.stringify(e))
        })
    )
  }
  if (media.video) yield* t.poster({ input: input!, media, output: out + ".jpg", at: 2 })
  console.log(at())
}).pipe(
  Effect.provide(FfmpegTranscoder.layer()),
  Effect.catchTag("TranscodeError", (e: any) =>
    Effect.sync(() => console.log(at(), "FAILED", e.reason, e.message, e.cause))
  )
)
await Effect.runPromise(program)
