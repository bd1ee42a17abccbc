/**
 * Failures of the ports, counted where they leave the adapter: by method and reason.
 */
import { BlobError } from "@holdfast/core/storage/BlobError"
import { MetadataError } from "@holdfast/core/MetadataError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"

type Note = (error: unknown) => void

const failures = (name: string, description: string, operation: string, reason: string) =>
  Metric.counter(name, { description, incremental: true, attributes: { operation, reason } })

const metricOf = (error: unknown) => {
  if (error instanceof MetadataError) {
    return failures("holdfast_metadata_errors_total", "Failures of the metadata store.", error.operation, error.reason)
  }
  if (error instanceof BlobError && error.reason !== "NotFound") {
    return failures("holdfast_blob_errors_total", "Failures of the blob store.", error.operation, error.reason)
  }
  return undefined
}

const note: Effect.Effect<Note> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed((error: unknown) => metricOf(error)?.updateUnsafe(1, context))
)

const observe = (result: unknown, note: Note): unknown => {
  if (Effect.isEffect(result)) return Effect.tapError(result, (error) => Effect.sync(() => note(error)))
  if (Stream.isStream(result)) return Stream.tapError(result, (error) => Effect.sync(() => note(error)))
  return result
}

/** The same service, with every failure of its methods noted. */
const observed = <S extends object>(service: S, note: Note): S => {
  const members = new Map<string | symbol, unknown>()
  const wrap = (member: unknown): unknown =>
    typeof member === "function"
      ? (...input: Array<unknown>) => observe(Reflect.apply(member, service, input), note)
      : observe(member, note)
  return new Proxy(service, {
    get: (target, name) => {
      if (!members.has(name)) members.set(name, wrap(Reflect.get(target, name)))
      return members.get(name)
    }
  })
}

/** Puts the count between a port and those that use it. */
export const layer = <I, S extends object>(port: Context.Key<I, S>): Layer.Layer<I, never, I> =>
  Layer.effect(
    port,
    Effect.gen(function* () {
      return observed(yield* port, yield* note)
    })
  )
