/**
 * The events of changes of files.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Action, Detail } from "@holdfast/core/events/Event"
import type { Content, StoredFile } from "@holdfast/core/files/File"
import * as Header from "@holdfast/core/files/Header"
import { type Change, changedFields } from "../events/RecordEvent.ts"

type Place = Pick<StoredFile, "id" | "name" | "path">

/** Returns the event of a change of a file. The name of the target is the path with the name. */
export const fileEvent = (
  { bucketId, tenantId }: BucketRef,
  action: Action,
  { id, name, path }: Place,
  detail: Detail
): Change => ({ tenantId, bucketId, action, target: { id, name: path + name }, detail })

const describe = (version: number, content: Content | null): Detail => ({
  version,
  size: content?.size ?? null,
  etag: content?.etag ?? null
})

export const fileCreated = (bucket: BucketRef, file: StoredFile): Change =>
  fileEvent(bucket, "file.created", file, describe(file.version, file.content))

/** Returns the event of a new content. `description` has the other fields that the same change sets. */
export const contentReplaced = (bucket: BucketRef, file: StoredFile, description: object): Change =>
  fileEvent(bucket, "content.replaced", file, {
    ...describe(file.version, file.content),
    ...(Object.keys(description).length === 0 ? undefined : changedFields(description))
  })

/** Returns the JSON of the detail of `contentReplaced` after the version, for a statement that increases the version: as `describe`. */
export const afterVersion = ({ etag, size }: Content): string => `,${JSON.stringify({ size, etag }).slice(1)}`

/** Returns the event of a change of headers: their names, not their values. */
export const headersUpdated = (bucket: BucketRef, file: StoredFile, former: ReadonlyArray<Header.Header>): Change => {
  const names = (headers: ReadonlyArray<Header.Header>) => headers.map(({ name }) => name)
  return fileEvent(bucket, "header.updated", file, {
    set: names(file.headers.filter(({ name, value }) => Header.valueOf(former, name) !== value)),
    removed: names(former.filter(({ name }) => Header.valueOf(file.headers, name) === undefined))
  })
}
