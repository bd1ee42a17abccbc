/**
 * The settings of the contract suite.
 */
import type { Vitest } from "@effect/vitest"
import type * as MirrorSubject from "../../MirrorSubject.ts"

export interface Settings {
  readonly partBytes: number
  readonly largeBytes: number
  readonly boundedMemory: boolean
  readonly manyObjects: number
  /** Whether the target cannot have an object of a name. */
  readonly isInvalidName: (name: string) => boolean
  /** Milliseconds. */
  readonly timeout: number
  /** Milliseconds, for the largest object and for many objects. */
  readonly largeTimeout: number
}

/** Registers tests that use the subject. */
export type Tester = Vitest.MethodsNonLive<MirrorSubject.MirrorSubject>
