/**
 * Counters of the failures of the ports, by operation and reason. They are counted where the adapter returns them.
 */
import { BlobError } from "../storage/BlobError.ts"
import { MetadataError } from "../MetadataError.ts"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Counter from "./Counter.ts"
import * as PortProxy from "./PortProxy.ts"

type CountFailure = (error: unknown) => void

/** Returns the counter of an error, or undefined for an error that is not a failure of a store. */
const counterOf = (error: unknown) => {
  if (error instanceof MetadataError) {
    const { operation, reason } = error
    return Counter.make("holdfast_metadata_errors_total", "Failures of the metadata store.", { operation, reason })
  }
  if (error instanceof BlobError && error.reason !== "NotFound") {
    const { operation, reason } = error
    return Counter.make("holdfast_blob_errors_total", "Failures of the blob store.", { operation, reason })
  }
  return undefined
}

const makeCountFailure: Effect.Effect<CountFailure> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed((error: unknown) => counterOf(error)?.updateUnsafe(1, context))
)

const countFailures = (result: unknown, countFailure: CountFailure): unknown => {
  if (Effect.isEffect(result)) return Effect.tapError(result, (error) => Effect.sync(() => countFailure(error)))
  if (Stream.isStream(result)) return Stream.tapError(result, (error) => Effect.sync(() => countFailure(error)))
  return result
}

/** Replaces a port by the same port with its failures counted. */
export const layer = <I, S extends object>(port: Context.Key<I, S>): Layer.Layer<I, never, I> =>
  Layer.effect(
    port,
    Effect.gen(function* () {
      const countFailure = yield* makeCountFailure
      return PortProxy.make(yield* port, (result) => countFailures(result, countFailure))
    })
  )
