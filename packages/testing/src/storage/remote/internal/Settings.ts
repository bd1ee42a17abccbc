/**
 * Settings that all tests of the suite share.
 */
import type { Vitest } from "@effect/vitest"
import type { CallName } from "../RemoteStores.ts"
import type { RemoteStoreSubject } from "../RemoteStoreSubject.ts"

export interface Settings {
  /** The calls that fail with `Internal` on a misconfigured store. */
  readonly misconfiguredCalls: ReadonlyArray<CallName>
  /** Milliseconds. */
  readonly timeout: number
}

/** Registers tests that have the subject as their service. */
export type Tester = Vitest.MethodsNonLive<RemoteStoreSubject>
