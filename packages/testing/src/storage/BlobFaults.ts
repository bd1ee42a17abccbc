/**
 * The faults that `FaultyBlobStore` injects.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Data from "effect/Data"

export type Method = "put" | "read" | "stat" | "remove" | "list" | "check"

export type Action = Data.TaggedEnum<{
  /** Fails before the call does anything. */
  Fail: { readonly reason: BlobError.Reason }
  /** `put` and `read`: fails after this many bytes. */
  FailAfter: { readonly bytes: number; readonly reason: BlobError.Reason }
  /** Completes the call, durably, and then fails, as when the response of a remote store is lost. */
  FailUnreported: { readonly reason: BlobError.Reason }
  /** `put` and `read`: ends successfully after this many bytes. A correct store never does that. */
  CutAfter: { readonly bytes: number }
  /** Runs an effect before the call: a sleep, or waiting for a latch that the test opens. */
  Before: { readonly effect: Effect.Effect<void> }
}>

const actions = Data.taggedEnum<Action>()

export const fail = (reason: BlobError.Reason): Action => actions.Fail({ reason })
export const failAfter = (bytes: number, reason: BlobError.Reason): Action => actions.FailAfter({ bytes, reason })
export const failUnreported = (reason: BlobError.Reason): Action => actions.FailUnreported({ reason })
export const cutAfter = (bytes: number): Action => actions.CutAfter({ bytes })
export const before = (effect: Effect.Effect<void>): Action => actions.Before({ effect })
export const delay = (duration: Duration.Input): Action => actions.Before({ effect: Effect.sleep(duration) })

/** A fault: an action and the calls that it affects. */
export interface Fault {
  readonly method: Method
  readonly action: Action
  /** The affected keys (for `list` the prefixes, for `check` the empty text); all when absent. */
  readonly key?: (key: string) => boolean
  /** The affected calls, counted from 1 since the fault was injected; all when absent. */
  readonly calls?: (nth: number) => boolean
}

/** Controls the faults of a store while a test runs. */
export class BlobFaults extends Context.Service<
  BlobFaults,
  {
    /** Adds a fault. When several faults affect one call, they apply in the order in which they were injected. */
    readonly inject: (fault: Fault) => Effect.Effect<void>
    /** Removes all faults. Calls in progress are not affected. */
    readonly clear: Effect.Effect<void>
    /** Returns how often a method was called. */
    readonly calls: (method: Method) => Effect.Effect<number>
  }
>()("@holdfast/testing/storage/BlobFaults") {}
