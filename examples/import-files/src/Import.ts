/**
 * Copies files from any source into a bucket. A second run copies only what the first one did not, so that an import may be
 * interrupted and repeated.
 */
import { type Client, HoldfastError } from "@holdfast/http/client"

/** A file of a source. */
export interface SourceFile {
  /** The path with the name, such as `2026/summer/cat.jpg`. */
  readonly key: string
  /** Opens the content; called only if it is copied. */
  readonly open: () => Promise<SourceContent>
}

export interface SourceContent {
  readonly content: AsyncIterable<Uint8Array>
  readonly length: number
  readonly contentType?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

export interface ImportOptions {
  readonly client: Client
  readonly bucket: { readonly tenantId: string; readonly bucketId: string }
  readonly source: AsyncIterable<SourceFile>
  /** How many files are copied at the same time. Default: 8. */
  readonly concurrency?: number
}

export interface ImportResult {
  readonly copied: number
  /** Files that the bucket had already. */
  readonly present: number
  readonly failed: ReadonlyArray<{ readonly key: string; readonly reason: string }>
}

const placeOf = (key: string) => {
  const end = key.lastIndexOf("/") + 1
  return { path: key.startsWith("/") ? key.slice(0, end) : `/${key.slice(0, end)}`, name: key.slice(end) }
}

/** Codes of errors that every further file would cause, too. */
const final: ReadonlySet<string> = new Set([
  "unauthenticated",
  "forbidden",
  "quota_exceeded",
  "storage_full",
  "network_error"
])

/** Copies every file of the source. A file that fails does not end the import, unless all others would fail as well. */
export const importFiles = async ({
  bucket,
  client,
  concurrency = 8,
  source
}: ImportOptions): Promise<ImportResult> => {
  let copied = 0
  let present = 0
  const failed: Array<{ readonly key: string; readonly reason: string }> = []

  const copy = async ({ key, open }: SourceFile): Promise<void> => {
    const place = { ...bucket, ...placeOf(key) }
    try {
      if (await client.files.exists(place)) {
        present++
        return
      }
      await client.files.upload({ ...place, ...(await open()) })
      copied++
    } catch (error) {
      if (error instanceof HoldfastError && final.has(error.code)) throw error
      failed.push({ key, reason: error instanceof Error ? error.message : String(error) })
    }
  }

  // Each worker takes the next file of the same iterator.
  const iterator = source[Symbol.asyncIterator]()
  const files = { [Symbol.asyncIterator]: () => iterator }
  const work = async (): Promise<void> => {
    for await (const file of files) await copy(file)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { copied, present, failed }
}
