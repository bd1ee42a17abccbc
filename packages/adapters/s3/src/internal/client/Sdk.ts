/**
 * Loads the SDK when it is first needed: most services use no S3.
 */
import type * as Module from "@aws-sdk/client-s3"
import { importInSteps } from "@holdfast/outbound/ImportInSteps"
import * as Effect from "effect/Effect"

/** The module of the SDK. */
export type Sdk = typeof Module

const load = (): Promise<Sdk> => import("@aws-sdk/client-s3")

let loading: Promise<Sdk> | undefined

/** Returns the SDK. Loads it in one turn of the event loop, which takes 60 to 450 ms. */
export const atOnce: Effect.Effect<Sdk> = Effect.promise(load)

/** Returns the SDK. Loads it over many turns of the event loop, for a process that answers requests meanwhile. */
export const inSteps: Effect.Effect<Sdk> = Effect.promise(
  () =>
    (loading ??= importInSteps({
      specifier: "@aws-sdk/client-s3",
      owner: "@holdfast/s3",
      parent: import.meta.url,
      load
    }))
)
