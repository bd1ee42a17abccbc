/**
 * The files of a shared folder as a ZIP archive.
 */
import { InvalidRequest } from "@holdfast/core/Errors"
import type { Downloads } from "@holdfast/core/files/Downloads"
import type { ShareGrant } from "@holdfast/core/files/shares/Share"
import type { ShareUse } from "@holdfast/core/files/shares/ShareUse"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as ZipStream from "../../transfer/response/ZipStream.ts"

/** Records of a page of the list. */
const pageSize = 200

/** The most files of an archive: its central directory is in memory, some 10 MB for as many. */
const maxFiles = 100_000

const tooLarge = InvalidRequest.at("/path", `has more than ${maxFiles} files; download its folders one by one`)

/** Fails with `InvalidRequest` when a folder has more files than an archive. Once the archive has begun, its client would not see why it ends. */
export const checkSize = Effect.fnUntraced(function* (shares: ShareUse["Service"], grant: ShareGrant, folder: string) {
  const count = yield* shares.count(grant, { path: folder, limit: maxFiles + 1 })
  if (count > maxFiles) return yield* tooLarge
})

/**
 * Returns the archive of a folder whose size was checked. A file is opened when its turn comes: one that was removed meanwhile is left
 * out. The archive fails when the folder grows meanwhile to twice the size that one may have.
 */
export const make = (
  { downloads, shares }: { readonly downloads: Downloads["Service"]; readonly shares: ShareUse["Service"] },
  grant: ShareGrant,
  folder: string
) => {
  const { bucketId, tenantId } = grant.share
  const files = Stream.paginate<{ readonly cursor: string | undefined; readonly count: number }, string, unknown>(
    { cursor: undefined, count: 0 },
    Effect.fnUntraced(function* ({ count, cursor }) {
      const page = yield* shares.list(grant, { path: folder, recursive: true, limit: pageSize, cursor })
      const next = { cursor: page.nextCursor ?? undefined, count: count + page.items.length }
      if (next.count > 2 * maxFiles) return yield* tooLarge
      return [page.items.map(({ id }) => id), page.nextCursor === null ? Option.none() : Option.some(next)] as const
    })
  )
  const opened = Stream.flatMap(files, (fileId) =>
    downloads.open(grant.parent, { tenantId, bucketId, fileId }, "download").pipe(
      Effect.map((download) => Stream.succeed(download)),
      Effect.catchTag(["NotFound", "ContentNotUploaded"], () => Effect.succeed(Stream.empty)),
      Stream.unwrap
    )
  )
  return ZipStream.make(
    Stream.map(opened, ({ content, file, read }) => ({
      name: `${file.path}${file.name}`.slice(folder.length),
      modifiedAt: DateTime.toDateUtc(content.storedAt),
      size: content.size,
      content: read()
    }))
  )
}
