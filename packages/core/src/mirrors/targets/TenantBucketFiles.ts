/**
 * Files of the bucket that a mirror inside the deployment leads to, by the names of their objects.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Actor } from "../../Actor.ts"
import type { File } from "../../files/File.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { Files } from "../../files/Files.ts"
import { isUnspecificType } from "../../files/Staging.ts"
import * as Header from "../../files/Header.ts"
import { Headers } from "../../headers/Headers.ts"
import type { CopiedObject } from "./CopyTarget.ts"
import type { TargetObject } from "./MirrorTarget.ts"
import { objectName } from "./MirroredFile.ts"

/** The path and name of an object's file. */
export const placeOf = (name: string): Pick<File, "path" | "name"> => {
  const slash = name.lastIndexOf("/")
  return { path: `/${name.slice(0, slash + 1)}`, name: name.slice(slash + 1) }
}

/** Changes with every change of content, headers and metadata. */
export const tagOf = (file: File): string => `${file.version}-${DateTime.toEpochMillis(file.updatedAt)}`

/** Whether a file has an object's bytes and type. A source without a type of its own leaves it to be found out. */
export const hasContent = (file: File, { file: { content } }: CopiedObject): boolean =>
  file.checksum?.sha256 === content.sha256 &&
  (file.contentType === content.contentType || isUnspecificType(content.contentType))

const sameHeaders = (a: ReadonlyArray<Header.Header>, b: ReadonlyArray<Header.Header>): boolean =>
  a.length === b.length && a.every(({ name, value }) => Header.valueOf(b, name) === value)

/** The files of one bucket, for one actor. */
export const make = Effect.fnUntraced(function* (actor: Actor, bucket: BucketRef) {
  const files = yield* Files
  const headers = yield* Headers
  const refOf = ({ id }: File) => ({ ...bucket, fileId: id })

  /** Of the names that begin with a file's, its own comes first. */
  const find = (name: string) =>
    Effect.map(files.list(actor, bucket, { ...placeOf(name), limit: 1 }), ({ items }) =>
      items.find((file) => objectName(file) === name)
    )

  /** Gives a file an object's headers and metadata, where it has others. */
  const align = Effect.fnUntraced(function* (file: File, { file: wanted }: CopiedObject) {
    const ref = refOf(file)
    const hasHeaders = sameHeaders(file.headers, wanted.headers)
    const hasMetadata = Equal.equals(file.metadata, wanted.metadata)
    if (hasHeaders && hasMetadata) return file
    if (!hasHeaders) {
      const extra = file.headers.filter(({ name }) => Header.valueOf(wanted.headers, name) === undefined)
      yield* Effect.forEach(extra, ({ name }) => headers.remove(actor, ref, name), { discard: true })
      yield* headers.setAll(actor, ref, { bulk: wanted.headers })
    }
    if (!hasMetadata) yield* files.update(actor, ref, { metadata: wanted.metadata })
    return yield* files.get(actor, ref)
  })

  const remove = Effect.fnUntraced(function* (name: string) {
    const found = yield* find(name)
    if (found === undefined) return
    yield* Effect.catchIf(
      files.remove(actor, refOf(found)),
      (error) => error._tag === "NotFound" && error.resource === "file",
      () => Effect.void
    )
  })

  const page = (cursor: string | undefined) =>
    Effect.map(
      files.list(actor, bucket, { recursive: true, state: "READY", expands: ["SIZE"], limit: 1000, cursor }),
      ({ items, nextCursor }) =>
        [items.map(told), nextCursor === null ? Option.none() : Option.some(nextCursor)] as const
    )

  return {
    find,
    align,
    remove,
    refOf,
    list: Stream.paginate<string | undefined, TargetObject, PageError, never>(undefined, page)
  }
})

type PageError = Effect.Error<ReturnType<Files["Service"]["list"]>>

const told = (file: File): TargetObject => ({
  name: objectName(file),
  size: file.expands?.size?.bytes ?? 0,
  tag: tagOf(file)
})
