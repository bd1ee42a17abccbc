import { assert, vi } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FfmpegTranscoder from "../../src/FfmpegTranscoder.ts"
import * as Files from "../support/Files.ts"
import * as Loopback from "../support/Loopback.ts"
import * as Samples from "../support/Samples.ts"
import * as Tools from "../support/Tools.ts"

vi.setConfig({ testTimeout: 60_000 })

const otherUser = { uid: 65_534, gid: 65_534 }

const setpriv = Requires.command("setpriv", "--pdeathsig", "KILL", "true")
const bubblewrap = Requires.command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true")
const root = process.getuid?.() === 0 ? undefined : "the tests do not run as root"

const cases: ReadonlyArray<readonly [what: string, missing: string | undefined, options: FfmpegTranscoder.Options]> = [
  ["namespaces", Requires.firstMissing(setpriv, bubblewrap), { sandbox: "required" }],
  [
    "namespaces and another user",
    Requires.firstMissing(setpriv, bubblewrap, root),
    { sandbox: "required", user: otherUser }
  ],
  ["another user alone", Requires.firstMissing(setpriv, root), { sandbox: "off", user: otherUser }]
]

/** Writes an `ffmpeg` that tries what ffmpeg must not do, and reports the results in its working directory. */
const writeProbe = (path: string, secret: string, port: string) => {
  const attempt = (name: string, command: string) => `if ${command} >/dev/null 2>&1; then echo ${name}; fi`
  const script = [
    'if [ "$1" = -version ]; then echo "ffmpeg version 7.1"; exit; fi',
    "exec >report 2>/dev/null",
    'echo "user $(id -u) $(id -g)"',
    attempt("secret", `cat ${secret}`),
    attempt("outside", `touch ${path}/outside`),
    attempt("root", "mkdir /holdfast-outside && rmdir /holdfast-outside"),
    attempt("network", `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`),
    attempt("process", `kill -0 ${process.pid}`),
    'for argument; do case "$argument" in file:*) cat "${argument#file:}";; esac; done',
    "exit 1"
  ]
  Files.program(`${path}/ffmpeg`, script.join("\n"))
  Files.program(`${path}/ffprobe`, "exit 1")
}

for (const [what, missing, options] of cases) {
  Requires.requires(missing).live(`convert: confined by ${what} → sees its input, and nothing else`, () =>
    Effect.gen(function* () {
      const [programs, data, temporary] = [yield* directory, yield* directory, yield* directory]
      // Only the user of the service may pass this directory, as the data directory of a service.
      const [input, output, secret] = [`${data}/input`, `${data}/output`, `${data}/secret`]
      mkdirSync(output)
      writeFileSync(input, "the input\n", { mode: 0o644 })
      writeFileSync(secret, "secret", { mode: 0o600 })
      for (const path of [programs, temporary]) chmodSync(path, 0o755)
      const server = yield* Effect.provideContext(Loopback.Loopback, yield* Layer.build(Loopback.layer))
      writeProbe(programs, secret, new URL(server.url).port)
      const layer = FfmpegTranscoder.layer({
        niceness: 0,
        ...options,
        ffmpeg: `${programs}/ffmpeg`,
        temporaryDirectory: temporary
      })
      const { convert } = yield* Effect.provideContext(Transcoder, yield* Layer.build(layer))
      const error = yield* Effect.flip(
        Stream.runDrain(convert({ input, media: FakeMedia.playable, output, format: "hls" }))
      )
      assert.strictEqual(error.reason, "Failed")
      const { gid, uid } = options.user ?? { uid: process.getuid?.(), gid: process.getgid?.() }
      // Without namespaces, the network and other processes are visible, but belong to another user.
      const visible = options.sandbox === "off" ? ["network"] : []
      assert.deepStrictEqual(Files.lines(`${output}/report`), [`user ${uid} ${gid}`, ...visible, "the input"])
      assert.isFalse(existsSync(`${programs}/outside`))
    })
  )
}

const namespace = ["--pid", "--fork", "--kill-child", "--mount-proc"]
const initProgram = join(import.meta.dirname, "../programs/probe-as-init.ts")

Requires.requires(
  Requires.firstMissing(Tools.missing, setpriv, bubblewrap, Requires.command("unshare", ...namespace, "true"))
).live(
  "probe: service is the first process of a container → no process of bubblewrap is left, others keep their files",
  () =>
    Effect.gen(function* () {
      const temporary = yield* directory
      const own = `${temporary}/holdfast-ffmpeg-${process.pid}-0123456789ab-x`
      mkdirSync(own)
      const run = [...namespace, process.execPath, initProgram, Samples.path("h264.mp4"), temporary]
      assert.deepStrictEqual(JSON.parse(Tools.run("unshare", run).stdout), [])
      assert.isTrue(existsSync(own))
    })
)

Requires.requires(Requires.firstMissing(Tools.missing, setpriv)).live(
  "check: bubblewrap is missing → available, or Unavailable if it is required",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      for (const name of ["ffmpeg", "ffprobe", "setpriv", "true", "nice"]) {
        symlinkSync(Tools.run("/bin/sh", ["-c", 'command -v "$1"', "sh", name]).stdout.trim(), `${path}/${name}`)
      }
      const check = (sandbox: "auto" | "required") =>
        Effect.gen(function* () {
          const built = yield* Layer.build(Layer.fresh(FfmpegTranscoder.layer({ niceness: 0, sandbox })))
          const transcoder = yield* Effect.provideContext(Transcoder, built)
          return yield* Effect.exit(transcoder.check)
        })
      const before = process.env["PATH"]
      process.env["PATH"] = path
      const [auto, required] = [yield* check("auto"), yield* check("required")]
      process.env["PATH"] = before
      rmSync(path, { recursive: true })
      assert.strictEqual(auto._tag, "Success")
      assert.strictEqual(required._tag, "Failure")
      assert.include(String(required), "sandbox")
    })
)
