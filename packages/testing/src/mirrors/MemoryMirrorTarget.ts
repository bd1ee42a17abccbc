/**
 * A mirror target that lives and dies with the process, and does to a test what real ones do at their worst.
 */
import { type MirrorObject, type MirrorTarget, type TargetObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { type Reason, MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import { utf8Length } from "@holdfast/core/Text"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as MirrorFaults from "./MirrorFaults.ts"
import type { ReadBack } from "./MirrorSubject.ts"

/** As the stores' own limit. */
const maxNameBytes = 1024

interface Stored extends ReadBack {
  readonly tag: string
}

export interface MemoryMirrorTarget {
  readonly target: MirrorTarget
  readonly faults: MirrorFaults.MirrorFaults
  /** What stands under a name; no call of the target's. */
  readonly readBack: (name: string) => Effect.Effect<Option.Option<ReadBack>>
  /** The names of all objects, sorted; no call of the target's. */
  readonly names: Effect.Effect<ReadonlyArray<string>>
  /** Puts an object there as a stranger would; no call of the target's. */
  readonly plant: (name: string, bytes: Uint8Array, description?: ObjectDescription) => Effect.Effect<void>
  /** Removes an object as a stranger would; no call of the target's. */
  readonly uproot: (name: string) => Effect.Effect<void>
}

/** An empty target. */
export const make: Effect.Effect<MemoryMirrorTarget> = Effect.sync(() => {
  const objects = new Map<string, Stored>()
  const { before, faults } = MirrorFaults.make()
  let changes = 0

  const failure = (operation: MirrorFaults.Method, reason: Reason, detail: string) =>
    new MirrorTargetError({ operation, reason, detail })

  const store = (name: string, bytes: Uint8Array, description: ObjectDescription) => {
    const tag = `tag-${++changes}`
    objects.set(name, { bytes, description: structuredClone(description), tag })
    return { tag }
  }

  const write = Effect.fnUntraced(function* <E, R>(object: MirrorObject, content: Stream.Stream<Uint8Array, E, R>) {
    yield* before("write", object.name)
    if (utf8Length(object.name) > maxNameBytes) return yield* failure("write", "Invalid", "The name is too long.")
    const hash = createHash("sha256")
    const chunks: Array<Uint8Array> = []
    yield* Stream.runForEach(content, (chunk) =>
      Effect.sync(() => {
        hash.update(chunk)
        chunks.push(new Uint8Array(chunk))
      })
    )
    const bytes = Buffer.concat(chunks)
    if (bytes.byteLength !== object.size || hash.digest("hex") !== object.sha256) {
      return yield* failure("write", "Damaged", "Other bytes arrived than were announced.")
    }
    return store(object.name, bytes, object.description)
  })

  const describe = Effect.fnUntraced(function* ({ description, name }: MirrorObject) {
    yield* before("describe", name)
    const stored = objects.get(name)
    if (stored === undefined) return yield* failure("describe", "NotFound", "There is no such object.")
    return store(name, stored.bytes, description)
  })

  const told = (name: string, { bytes, tag }: Stored): TargetObject => ({ name, size: bytes.byteLength, tag })

  const find = (name: string) => Option.fromUndefinedOr(objects.get(name))

  return {
    faults,
    target: {
      check: before("check", ""),
      write,
      describe,
      remove: (name) => Effect.map(before("remove", name), () => void objects.delete(name)),
      stat: (name) => Effect.map(before("stat", name), () => Option.map(find(name), (stored) => told(name, stored))),
      list: Stream.unwrap(
        Effect.map(before("list", ""), () => Stream.fromArray([...objects].map(([name, stored]) => told(name, stored))))
      )
    },
    readBack: (name) => Effect.sync(() => Option.map(find(name), ({ bytes, description }) => ({ bytes, description }))),
    names: Effect.sync(() => [...objects.keys()].toSorted()),
    plant: (name, bytes, description = { contentType: "application/octet-stream", metadata: {} }) =>
      Effect.sync(() => void store(name, new Uint8Array(bytes), description)),
    uproot: (name) => Effect.sync(() => void objects.delete(name))
  }
})
