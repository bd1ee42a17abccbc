/**
 * What the parts of the contract's suite share.
 */
import type { Vitest } from "@effect/vitest"
import type * as MirrorSubject from "../MirrorSubject.ts"

export interface Settings {
  readonly partBytes: number
  readonly largeBytes: number
  readonly boundedMemory: boolean
  readonly manyObjects: number
  /** Whether the target cannot hold a name. */
  readonly isUnfit: (name: string) => boolean
  /** Milliseconds. */
  readonly timeout: number
  /** Milliseconds, for the largest content and for many objects. */
  readonly largeTimeout: number
}

/** Registers tests that have the subject as their service. */
export type Tester = Vitest.MethodsNonLive<MirrorSubject.MirrorSubject>
