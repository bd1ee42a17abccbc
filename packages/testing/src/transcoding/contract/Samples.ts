/**
 * What the parts of the contract's suite share: the inputs, and where outputs go.
 */
import type { Vitest } from "@effect/vitest"
import type { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Paths of files. Those of media play for more than four seconds and at most ten. */
export interface Samples {
  /** Video with sound that every player takes as it is. */
  readonly playable: string
  /** Video with sound that has to be encoded anew, of 480 to 1080 lines. */
  readonly foreign: string
  /** Video without sound. */
  readonly silent: string
  /** Sound without video. */
  readonly audio: string
  /** Video that declares a longer duration than it has content for. */
  readonly cut: string
}

export class SampleFiles extends Context.Service<SampleFiles, Samples>()(
  "@holdfast/testing/transcoding/contract/SampleFiles"
) {}

/** Registers tests that have the transcoder under test and the samples as their services. */
export type Tester = Vitest.MethodsNonLive<Transcoder | SampleFiles>

/** An empty directory, removed with the scope. */
export const directory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-transcoding-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
