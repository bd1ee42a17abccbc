/**
 * What the parts of the contract suite share: sample files and output directories.
 */
import type { Vitest } from "@effect/vitest"
import type { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Paths of media files, each between four and ten seconds long. */
export interface Samples {
  /** Video with audio in codecs that all players support. */
  readonly playable: string
  /** Video of 480 to 1080 lines with audio, in codecs that have to be encoded. */
  readonly foreign: string
  /** Video without audio. */
  readonly silent: string
  /** Audio without video. */
  readonly audio: string
  /** Video whose content ends before its declared duration. */
  readonly cut: string
}

export class SampleFiles extends Context.Service<SampleFiles, Samples>()(
  "@holdfast/testing/transcoding/contract/SampleFiles"
) {}

/** Registers tests whose services are the transcoder under test and the samples. */
export type Tester = Vitest.MethodsNonLive<Transcoder | SampleFiles>

/** Makes an empty directory, which is removed when the scope closes. */
export const directory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-transcoding-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
