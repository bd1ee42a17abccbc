/**
 * What can go wrong in a store, on purpose, and when. The vocabulary of `FaultyBlobStore`.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Data from "effect/Data"

export type Method = "put" | "read" | "stat" | "remove" | "list" | "check"

export type Action = Data.TaggedEnum<{
  /** Fails before anything happens. */
  Fail: { readonly reason: BlobError.Reason }
  /** `put` and `read`: fails once this many bytes have gone through. */
  FailAfter: { readonly bytes: number; readonly reason: BlobError.Reason }
  /** Does the whole work, durably, and then says that it failed: the answer was lost on its way. */
  FailUnreported: { readonly reason: BlobError.Reason }
  /** `put` and `read`: lets this many bytes through and ends as if that were all. No honest store does that. */
  CutAfter: { readonly bytes: number }
  /** Runs an effect first: a sleep, or a latch that the test opens. */
  Before: { readonly effect: Effect.Effect<void> }
}>

const actions = Data.taggedEnum<Action>()

export const fail = (reason: BlobError.Reason): Action => actions.Fail({ reason })
export const failAfter = (bytes: number, reason: BlobError.Reason): Action => actions.FailAfter({ bytes, reason })
export const failUnreported = (reason: BlobError.Reason): Action => actions.FailUnreported({ reason })
export const cutAfter = (bytes: number): Action => actions.CutAfter({ bytes })
export const before = (effect: Effect.Effect<void>): Action => actions.Before({ effect })
export const delay = (duration: Duration.Input): Action => actions.Before({ effect: Effect.sleep(duration) })

/** One fault: what happens, at which calls. */
export interface Fault {
  readonly method: Method
  readonly action: Action
  /** Which keys (for `list` prefixes, for `check` the empty text). Default: all. */
  readonly key?: (key: string) => boolean
  /** Which of these calls, counted from 1 since the fault was injected. Default: all. */
  readonly calls?: (nth: number) => boolean
}

/** The handle by which a test steers a faulty store while it runs. */
export class BlobFaults extends Context.Service<
  BlobFaults,
  {
    /** Adds a fault. When several meet one call, those injected first come first. */
    readonly inject: (fault: Fault) => Effect.Effect<void>
    /** Forgets all faults; calls that run are not changed. */
    readonly clear: Effect.Effect<void>
    /** How often a method was called. */
    readonly calls: (method: Method) => Effect.Effect<number>
  }
>()("@holdfast/testing/storage/BlobFaults") {}
