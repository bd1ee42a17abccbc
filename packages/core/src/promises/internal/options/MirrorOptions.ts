/**
 * The layers for the mirror options of `open`.
 */
import * as Layer from "effect/Layer"
import { MirrorTargets } from "../../../mirrors/targets/MirrorTarget.ts"
import * as MirrorWorker from "../../../mirrors/worker/MirrorWorker.ts"
import type { OpenOptions } from "./OpenOptions.ts"

/** Returns the openers of all target types. The core itself opens other buckets of this deployment. */
export const targets = ({ mirrors = [] }: OpenOptions): Layer.Layer<MirrorTargets> =>
  Layer.succeed(
    MirrorTargets,
    MirrorTargets.of({ open: Object.assign({}, ...mirrors.map((adapter) => adapter.targets)) })
  )

/** Returns the mirror worker where this process copies files. Without the key it could not decrypt the credentials of any mirror. */
export const worker = ({ mirrorCopies: concurrency = 16, secretKey }: OpenOptions) =>
  concurrency === 0 || secretKey === undefined ? Layer.empty : MirrorWorker.layer({ concurrency })
