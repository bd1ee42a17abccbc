/**
 * Targets in memory behind the port of a deployment's targets: one for each bucket name that a mirror is given.
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
  /** Names of objects of which two changes ran at once, which nobody may do. */
  readonly overlaps: Effect.Effect<ReadonlyArray<string>>
  /** From now on only this secret opens the target; any does before. */
  readonly demand: (secret: string) => Effect.Effect<void>
}

export class MemoryTargets extends Context.Service<
  MemoryTargets,
  {
    /** The target of a bucket name; an empty one at first. */
    readonly of: (bucketName: string) => Effect.Effect<MemoryTarget>
  }
>()("@holdfast/testing/mirrors/MemoryTargets") {}

interface Guarded extends MemoryTarget {
  readonly open: (secret: string) => MirrorTarget
}

/** As over a network: other changes come in between. */
const travel = Effect.suspend(() => Effect.sleep(Math.floor(Math.random() * 4)))

const guard = (memory: MemoryMirrorTarget.MemoryMirrorTarget): Guarded => {
  const busy = new Set<string>()
  const overlaps: Array<string> = []
  let demanded: string | undefined

  const alone = <A, E, R>(name: string, self: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const isAlone = !busy.has(name)
        if (isAlone) busy.add(name)
        else overlaps.push(name)
        return isAlone
      }),
      () => Effect.ensuring(Effect.andThen(travel, self), travel),
      (isAlone) => Effect.sync(() => void (isAlone && busy.delete(name)))
    )

  const open = (secret: string): MirrorTarget => {
    const checked = Effect.suspend(() =>
      demanded === undefined || demanded === secret
        ? Effect.void
        : Effect.fail(new MirrorTargetError({ reason: "Denied", operation: "open", detail: "The key is wrong." }))
    )
    const { target } = memory
    return {
      check: Effect.andThen(checked, target.check),
      write: (object, content) => Effect.andThen(checked, alone(object.name, target.write(object, content))),
      describe: (object) => Effect.andThen(checked, alone(object.name, target.describe(object))),
      // Checks may overlap: their object is the one that every check of the target replaces.
      remove: (name) =>
        Effect.andThen(
          checked,
          name === TargetCheck.objectName ? target.remove(name) : alone(name, target.remove(name))
        ),
      stat: (name) => Effect.andThen(checked, target.stat(name)),
      list: Stream.unwrap(Effect.as(checked, target.list))
    }
  }

  return {
    ...memory,
    open,
    overlaps: Effect.sync(() => overlaps),
    demand: (secret) => Effect.sync(() => void (demanded = secret))
  }
}

/** Targets of S3's kind; the deployment has no others. */
export const layer: Layer.Layer<MemoryTargets | MirrorTargets> = Layer.effectContext(
  Effect.sync(() => {
    const all = new Map<string, Guarded>()
    const of = Effect.fnUntraced(function* (bucketName: string) {
      const found = all.get(bucketName) ?? guard(yield* MemoryMirrorTarget.make)
      all.set(bucketName, found)
      return found
    })
    const open = ({ bucketName, secretAccessKey }: S3Location) =>
      Effect.map(of(bucketName), (target) => target.open(Redacted.value(secretAccessKey)))
    return Context.make(MemoryTargets, MemoryTargets.of({ of })).pipe(
      Context.add(MirrorTargets, MirrorTargets.of({ open: { S3: open } }))
    )
  })
)
