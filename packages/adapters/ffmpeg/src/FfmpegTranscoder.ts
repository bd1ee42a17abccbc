/**
 * A Transcoder that runs the system's `ffmpeg` and `ffprobe`, 5.1 or newer, on a POSIX system.
 *
 * Input is untrusted. The programs open only containers that cannot refer to other files, have resource limits of the kernel
 * and an environment without secrets, and are killed when this process dies.
 */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Convert from "./internal/Convert.ts"
import * as Engine from "./internal/Engine.ts"
import * as LadderRun from "./internal/LadderRun.ts"
import * as Poster from "./internal/Poster.ts"
import * as Probe from "./internal/probing/Probe.ts"
import * as ScratchDirectory from "./internal/process/ScratchDirectory.ts"
import * as Repackage from "./internal/Repackage.ts"
import * as Storyboard from "./internal/Storyboard.ts"

export type Options = Engine.Options

/** Makes the transcoder, also if ffmpeg is missing: then its methods fail with `Unavailable`. */
const make = (options: Options): Effect.Effect<Transcoder["Service"], never, Engine.Platform> =>
  Effect.map(Effect.context<Engine.Platform>(), (platform) => {
    const engine = Engine.make(options)
    const provide = Effect.provideContext(platform)
    return Transcoder.of({
      probe: (job) => provide(Probe.make(engine)(job)),
      convert: (job) => Stream.provideContext(Convert.make(engine)(job), platform),
      repackage: (job) => Stream.provideContext(Repackage.make(engine)(job), platform),
      ladder: (job) => Stream.provideContext(LadderRun.make(engine)(job), platform),
      poster: (job) => provide(Poster.make(engine)(job)),
      storyboard: (job) => provide(Storyboard.make(engine)(job)),
      check: provide(Effect.asVoid(engine.programs)),
      capabilities: { name: "ffmpeg" }
    })
  })

const platform = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer))
)

/**
 * The transcoder as a layer, on Node's platform services. Building it removes the temporary directories of processes that were
 * killed, a day later.
 */
export const layer = (options: Options = {}): Layer.Layer<Transcoder> =>
  ScratchDirectory.removeAbandoned(options.temporaryDirectory).pipe(
    Effect.andThen(make(options)),
    Layer.effect(Transcoder),
    Layer.provide(platform)
  )
