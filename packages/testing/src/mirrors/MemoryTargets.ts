/**
 * The targets of a deployment in memory: one MemoryMirrorTarget for each bucket name that a mirror is given.
 */
import { type MirrorTarget, MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as MemoryMirrorTarget from "./MemoryMirrorTarget.ts"

export interface MemoryTarget extends MemoryMirrorTarget.MemoryMirrorTarget {
  /** The names of objects of which two changes ran at once: a violation of the port's contract by its caller. */
  readonly overlaps: Effect.Effect<ReadonlyArray<string>>
  /** From now on, only this secret opens the target. Before, any secret does. */
  readonly requireSecret: (secret: string) => Effect.Effect<void>
}

export class MemoryTargets extends Context.Service<
  MemoryTargets,
  {
    /** Returns the target of a bucket name. It is empty at first. */
    readonly get: (bucketName: string) => Effect.Effect<MemoryTarget>
  }
>()("@holdfast/testing/mirrors/MemoryTargets") {}

interface ObservedTarget extends MemoryTarget {
  readonly open: (secret: string) => MirrorTarget
}

/** Delays a call as a network does, so that other changes run in between. */
const networkDelay = Effect.suspend(() => Effect.sleep(Math.floor(Math.random() * 4)))

/** Adds secrets to a target, and observes changes that overlap. */
const observe = (memory: MemoryMirrorTarget.MemoryMirrorTarget): ObservedTarget => {
  const changing = new Set<string>()
  const overlaps: Array<string> = []
  let requiredSecret: string | undefined

  const change = <A, E, R>(name: string, self: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const isFirst = !changing.has(name)
        if (isFirst) changing.add(name)
        else overlaps.push(name)
        return isFirst
      }),
      () => Effect.ensuring(Effect.andThen(networkDelay, self), networkDelay),
      (isFirst) => Effect.sync(() => void (isFirst && changing.delete(name)))
    )

  const open = (secret: string): MirrorTarget => {
    const authorize = Effect.suspend(() =>
      requiredSecret === undefined || requiredSecret === secret
        ? Effect.void
        : Effect.fail(new MirrorTargetError({ reason: "Denied", operation: "open", detail: "The key is wrong." }))
    )
    const { target } = memory
    return {
      check: Effect.andThen(authorize, target.check),
      write: (object, content) => Effect.andThen(authorize, change(object.name, target.write(object, content))),
      describe: (object) => Effect.andThen(authorize, change(object.name, target.describe(object))),
      // Checks may overlap, so the removal of their object may, too.
      remove: (name) =>
        Effect.andThen(
          authorize,
          name === TargetCheck.objectName ? target.remove(name) : change(name, target.remove(name))
        ),
      stat: (name) => Effect.andThen(authorize, target.stat(name)),
      read: (name) => Stream.unwrap(Effect.as(authorize, target.read(name))),
      list: Stream.unwrap(Effect.as(authorize, target.list))
    }
  }

  return {
    ...memory,
    open,
    overlaps: Effect.sync(() => overlaps),
    requireSecret: (secret) => Effect.sync(() => void (requiredSecret = secret))
  }
}

/** Targets of the type S3; the deployment has no others. */
export const layer: Layer.Layer<MemoryTargets | MirrorTargets> = Layer.effectContext(
  Effect.sync(() => {
    const targets = new Map<string, ObservedTarget>()
    const get = Effect.fnUntraced(function* (bucketName: string) {
      const found = targets.get(bucketName) ?? observe(yield* MemoryMirrorTarget.make)
      targets.set(bucketName, found)
      return found
    })
    const open = ({ bucketName, secretAccessKey }: S3Location) =>
      Effect.map(get(bucketName), (target) => target.open(Redacted.value(secretAccessKey)))
    return Context.make(MemoryTargets, MemoryTargets.of({ get })).pipe(
      Context.add(MirrorTargets, MirrorTargets.of({ open: { S3: open } }))
    )
  })
)
