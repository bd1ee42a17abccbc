/**
 * What the contract suites are given, and what they are written with.
 */
import type { Vitest } from "@effect/vitest"
import type { Metadata as OfServices } from "@holdfast/core/Holdfast"
import type { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import type { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import type { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"

/** Every repository of one metadata store. They see each other's rows. */
export type Metadata = OfServices | ConversionRepository | MirrorRepository | MirrorTaskRepository

/** Registers tests that have the repositories. */
export type It = Vitest.MethodsNonLive<Metadata>
