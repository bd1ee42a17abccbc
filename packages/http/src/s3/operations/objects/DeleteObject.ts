/**
 * Removes objects. To remove one that does not exist succeeds.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import type { Precondition } from "@holdfast/core/files/Precondition"
import { isMirrored } from "@holdfast/core/mirrors/targets/MirroredFile"
import * as Trace from "@holdfast/core/mirrors/targets/Trace"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Call, CallError } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as ErrorTable from "../../ErrorTable.ts"
import * as Unsupported from "../../Unsupported.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as XmlReader from "@holdfast/outbound/XmlReader"
import * as BucketOf from "../BucketOf.ts"
import * as EntityTag from "../EntityTag.ts"

/** The most objects of one request. */
const maxObjects = 1000

/** Objects that are removed at once: their changes share the syncs of the database. More would gain little. */
const maxConcurrent = 16

/** As Amazon S3, takes documents of 2 MiB. An object has five elements at most besides its own. */
const limits: XmlReader.Limits = { maxBytes: 2 * 1024 * 1024, maxElements: maxObjects * 8 }

interface Removal {
  readonly key: string
  readonly ifMatch: string | undefined
  /** The bucket whose mirror removes the object: only a copy that it wrote. */
  readonly source?: string | undefined
}

const unknownDigest = S3Error.of(
  "OperationAborted",
  "The checksum by which a copy is recognised is still being computed. Try again."
)

const makeRemove = Effect.map(FilesByKey, (keys) =>
  Effect.fnUntraced(function* (
    { actor }: Call,
    bucket: BucketRef,
    { ifMatch, key, source }: Removal
  ): Effect.fn.Return<void, CallError> {
    let condition: Precondition = {}
    if (ifMatch !== undefined || source !== undefined) {
      const current = Option.getOrNull(yield* keys.find(actor, bucket, key))
      if (current === null) return
      condition = EntityTag.condition({ ifMatch: EntityTag.parse(ifMatch) }, current.content)
      if (source !== undefined) {
        if (!Trace.isCopyFrom(current, source)) return
        if (!isMirrored(current)) return yield* unknownDigest
        // Another content that the file gets meanwhile is no copy.
        if (ifMatch === undefined) condition = { ifMatch: [current.content.etag] }
      }
    }
    yield* Effect.catchIf(keys.remove(actor, bucket, key, condition), isMissingFile, () => Effect.void)
  })
)

const isMissingFile = (error: { readonly _tag: string }): boolean =>
  error._tag === "NotFound" && "resource" in error && error.resource === "file"

export const deleteObject: Operation = {
  name: "DeleteObject",
  method: "DELETE",
  target: "object",
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const remove = yield* makeRemove
    return Effect.fnUntraced(function* (call) {
      const bucket = yield* findBucket(call)
      yield* remove(call, bucket, {
        key: call.key,
        ifMatch: call.headers["if-match"],
        source: call.headers[Trace.sourceHeader]
      })
      return S3Response.empty({ status: 204 })
    })
  })
}

const malformed = S3Error.of("MalformedXML")
const noCondition = S3Error.of("NotImplemented", "LastModifiedTime and Size are no conditions here. Send the ETag.")

/** Returns the key of an entry; empty for an entry without one. */
const keyOf = (object: XmlReader.XmlElement): string => XmlReader.textOf(object, "Key") ?? ""

/** Returns the error of an entry with a condition of directory buckets; undefined for any other. */
const findCondition = (object: XmlReader.XmlElement): S3Error | undefined =>
  object.children.some(({ name }) => name === "LastModifiedTime" || name === "Size") ? noCondition : undefined

export const deleteObjects: Operation = {
  name: "DeleteObjects",
  method: "POST",
  target: "bucket",
  query: { delete: true },
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const remove = yield* makeRemove
    return Effect.fnUntraced(function* (call) {
      const bucket = yield* findBucket(call)
      const root = yield* call.readXml(limits)
      const objects = root.children.filter(({ name }) => name === "Object")
      if (root.name !== "Delete" || objects.length === 0 || objects.length > maxObjects) return yield* malformed
      // Before the first is removed: a document with a wrong entry removes nothing.
      if (objects.some((object) => keyOf(object) === "")) return yield* malformed
      const isQuiet = XmlReader.textOf(root, "Quiet") === "true"
      const removeOne = (object: XmlReader.XmlElement) => {
        const key = keyOf(object)
        const versionId = XmlReader.textOf(object, "VersionId")
        const version: ReadonlyArray<Xml.Element> = versionId === undefined ? [] : [["VersionId", versionId]]
        const refusal = Unsupported.findVersion(versionId) ?? findCondition(object)
        const removal = { key, ifMatch: XmlReader.textOf(object, "ETag") }
        return (refusal === undefined ? remove(call, bucket, removal) : Effect.fail(refusal)).pipe(
          Effect.map((): Xml.Element | undefined => (isQuiet ? undefined : ["Deleted", [["Key", key], ...version]])),
          Effect.catch((error: CallError) => {
            const known = ErrorTable.translate(error)
            return known === undefined
              ? Effect.fail(error)
              : Effect.succeed<Xml.Element>([
                  "Error",
                  [["Key", key], ...version, ["Code", known.code], ["Message", known.message]]
                ])
          })
        )
      }
      const results = yield* Effect.forEach(objects, removeOne, { concurrency: maxConcurrent })
      return S3Response.xml(
        "DeleteResult",
        results.filter((result) => result !== undefined)
      )
    })
  })
}
