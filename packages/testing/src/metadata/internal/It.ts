/**
 * The type of `it` in the contract suites of the repositories.
 */
import type { Vitest } from "@effect/vitest"
import type { Metadata } from "@holdfast/core/Holdfast"

/** Registers tests that require the repositories of one metadata store. */
export type It = Vitest.MethodsNonLive<Metadata>
