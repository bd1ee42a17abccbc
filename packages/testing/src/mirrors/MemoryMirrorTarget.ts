/**
 * A MirrorTarget in memory, with faults that a test injects.
 */
import type { MirrorObject, MirrorTarget, TargetObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError, type Reason } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import { utf8Length } from "@holdfast/core/Text"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { collectContent } from "../data/internal/CollectContent.ts"
import * as MirrorFaults from "./internal/MirrorFaults.ts"
import type { ReadBack } from "./MirrorSubject.ts"

/** The limit of S3 and of Google Cloud Storage. */
const maxNameBytes = 1024

interface Stored extends ReadBack {
  readonly tag: string
}

export interface MemoryMirrorTarget {
  readonly target: MirrorTarget
  readonly faults: MirrorFaults.MirrorFaults
  /** Reads an object, without a call of the target. */
  readonly readBack: (name: string) => Effect.Effect<Option.Option<ReadBack>>
  /** Returns the names of all objects, sorted, without a call of the target. */
  readonly names: Effect.Effect<ReadonlyArray<string>>
  /** Writes an object as another program would, without a call of the target. */
  readonly putExternally: (name: string, bytes: Uint8Array, description?: ObjectDescription) => Effect.Effect<void>
  /** Removes an object as another program would, without a call of the target. */
  readonly removeExternally: (name: string) => Effect.Effect<void>
  /** Gives this tag to every object that is written from now on, as a service may that does not follow its protocol. */
  readonly setTag: (tag: string) => Effect.Effect<void>
}

const fail = (operation: MirrorFaults.Method, reason: Reason, detail: string) =>
  new MirrorTargetError({ operation, reason, detail })

const toTargetObject = (name: string, { bytes, tag }: Stored): TargetObject => ({ name, size: bytes.byteLength, tag })

/** Returns an empty target. */
export const make: Effect.Effect<MemoryMirrorTarget> = Effect.sync(() => {
  const objects = new Map<string, Stored>()
  const { beforeCall, faults } = MirrorFaults.make()
  let changes = 0
  let fixedTag: string | undefined

  const store = (name: string, bytes: Uint8Array, description: ObjectDescription) => {
    const tag = fixedTag ?? `tag-${++changes}`
    objects.set(name, { bytes, description: structuredClone(description), tag })
    return { tag }
  }

  const write = Effect.fnUntraced(function* <E, R>(object: MirrorObject, content: Stream.Stream<Uint8Array, E, R>) {
    yield* beforeCall("write", object.name)
    if (utf8Length(object.name) > maxNameBytes) return yield* fail("write", "Invalid", "The name is too long.")
    const { bytes, sha256 } = yield* collectContent(content)
    if (bytes.byteLength !== object.size || sha256 !== object.sha256) {
      return yield* fail("write", "Damaged", "The bytes differ from the declared ones.")
    }
    return store(object.name, bytes, object.description)
  })

  const describe = Effect.fnUntraced(function* ({ description, name }: MirrorObject) {
    yield* beforeCall("describe", name)
    const stored = objects.get(name)
    if (stored === undefined) return yield* fail("describe", "NotFound", "The object does not exist.")
    return store(name, stored.bytes, description)
  })

  const find = (name: string) => Option.fromUndefinedOr(objects.get(name))

  return {
    faults,
    target: {
      check: beforeCall("check", ""),
      write,
      describe,
      remove: (name) => Effect.map(beforeCall("remove", name), () => void objects.delete(name)),
      stat: (name) =>
        Effect.map(beforeCall("stat", name), () => Option.map(find(name), (stored) => toTargetObject(name, stored))),
      read: (name) =>
        Stream.unwrap(
          Effect.map(beforeCall("read", name), () =>
            Option.match(find(name), {
              onNone: () => Stream.fail(fail("read", "NotFound", "The object does not exist.")),
              onSome: ({ bytes }) => Stream.succeed(bytes)
            })
          )
        ),
      list: Stream.unwrap(
        Effect.map(beforeCall("list", ""), () =>
          Stream.fromArray([...objects].map(([name, stored]) => toTargetObject(name, stored)))
        )
      )
    },
    readBack: (name) => Effect.sync(() => Option.map(find(name), ({ bytes, description }) => ({ bytes, description }))),
    names: Effect.sync(() => [...objects.keys()].toSorted()),
    putExternally: (name, bytes, description = { contentType: "application/octet-stream", metadata: {} }) =>
      Effect.sync(() => void store(name, new Uint8Array(bytes), description)),
    removeExternally: (name) => Effect.sync(() => void objects.delete(name)),
    setTag: (tag) => Effect.sync(() => void (fixedTag = tag))
  }
})
