/**
 * The files of a TenantBucketTarget, by the names of their objects.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Actor } from "../../../Actor.ts"
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import type { File } from "../../../files/File.ts"
import { Files } from "../../../files/Files.ts"
import { isUnspecific } from "../../../files/internal/MediaTypes.ts"
import * as Header from "../../../files/Header.ts"
import { Headers } from "../../../headers/Headers.ts"
import type { CopiedObject } from "../CopyTarget.ts"
import { objectName } from "../MirroredFile.ts"
import type { TargetObject } from "../MirrorTarget.ts"

/** Whether the file of an object is the marker of a folder. */
export const isMarker = (name: string): boolean => name.endsWith("/")

/** Returns the path and the name of an object's file. */
export const toPathAndName = (name: string): Pick<File, "path" | "name"> => {
  const slash = name.lastIndexOf("/")
  return { path: `/${name.slice(0, slash + 1)}`, name: name.slice(slash + 1) }
}

/** Returns the tag of a file: it changes with every change of content, headers and metadata. */
export const toTag = (file: File): string => `${file.version}-${DateTime.toEpochMillis(file.updatedAt)}`

/** Whether a file has the bytes and the content type of an object. A type that the source does not know is detected here. */
export const hasContent = (file: File, { file: { content } }: CopiedObject): boolean =>
  file.checksum?.sha256 === content.sha256 &&
  (file.contentType === content.contentType || isUnspecific(content.contentType))

const hasSameHeaders = (a: ReadonlyArray<Header.Header>, b: ReadonlyArray<Header.Header>): boolean =>
  a.length === b.length && a.every(({ name, value }) => Header.valueOf(b, name) === value)

const toTargetObject = (file: File): TargetObject => ({
  name: objectName(file),
  size: file.expands?.size?.bytes ?? 0,
  tag: toTag(file)
})

type PageError = Effect.Error<ReturnType<Files["Service"]["list"]>>

/** The files of one bucket, for one actor. */
export const make = Effect.fnUntraced(function* (actor: Actor, bucket: BucketRef) {
  const files = yield* Files
  const headers = yield* Headers
  const refOf = ({ id }: File) => ({ ...bucket, fileId: id })

  /** Lists by the start of the name; a file with exactly this name comes first. The name of a marker is empty. */
  const find = (name: string) =>
    Effect.map(files.list(actor, bucket, { ...toPathAndName(name), limit: 1 }, { withMarkers: true }), ({ items }) =>
      items.find((file) => objectName(file) === name)
    )

  /** Gives a file the headers and metadata of an object where they differ; returns the file. */
  const updateDescription = Effect.fnUntraced(function* (file: File, { file: source }: CopiedObject) {
    const ref = refOf(file)
    const sourceHeaders = Header.sent(source.headers)
    const hasHeaders = hasSameHeaders(file.headers, sourceHeaders)
    const hasMetadata = Equal.equals(file.metadata, source.metadata)
    if (hasHeaders && hasMetadata) return file
    if (!hasHeaders) {
      const extra = file.headers.filter(({ name }) => Header.valueOf(sourceHeaders, name) === undefined)
      yield* Effect.forEach(extra, ({ name }) => headers.remove(actor, ref, name), { discard: true })
      yield* headers.setAll(actor, ref, { bulk: sourceHeaders })
    }
    if (!hasMetadata) yield* files.update(actor, ref, { metadata: source.metadata })
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
      files.list(
        actor,
        bucket,
        { recursive: true, state: "READY", expands: ["SIZE"], limit: 1000, cursor },
        { withMarkers: true }
      ),
      ({ items, nextCursor }) =>
        [items.map(toTargetObject), nextCursor === null ? Option.none() : Option.some(nextCursor)] as const
    )

  return {
    find,
    updateDescription,
    remove,
    refOf,
    list: Stream.paginate<string | undefined, TargetObject, PageError, never>(undefined, page)
  }
})
