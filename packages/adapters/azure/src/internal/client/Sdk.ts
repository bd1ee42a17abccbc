/**
 * Loads the SDK when it is first needed: most services use no Azure.
 */
import type * as Module from "@azure/storage-blob"
import { importInSteps } from "@holdfast/outbound/ImportInSteps"
import * as Effect from "effect/Effect"

/** The module of the SDK. */
export type Sdk = typeof Module

const load = (): Promise<Sdk> => import("@azure/storage-blob")

let loading: Promise<Sdk> | undefined

/** Returns the SDK. Loads it in one turn of the event loop, which takes 150 to 500 ms. */
export const atOnce: Effect.Effect<Sdk> = Effect.promise(load)

/** Returns the SDK. Loads it over many turns of the event loop, for a process that answers requests meanwhile. */
export const inSteps: Effect.Effect<Sdk> = Effect.promise(
  () =>
    (loading ??= importInSteps({
      specifier: "@azure/storage-blob",
      owner: "@holdfast/azure",
      parent: import.meta.url,
      load
    }))
)
