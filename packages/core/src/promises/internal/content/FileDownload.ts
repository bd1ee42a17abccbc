/**
 * The opened content of a file.
 */
import type * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import type { Download } from "../../../files/Downloads.ts"
import * as File from "../../../files/File.ts"
import * as Header from "../../../files/Header.ts"
import type { ByteRange } from "../../../storage/BlobStore.ts"
import type { FileRecord } from "../../resources/internal/FileRecords.ts"
import { toDates } from "../Times.ts"
import { ContentReader } from "./ContentReader.ts"

/** One version of a file. It stays readable when the file is overwritten meanwhile. */
export class FileDownload extends ContentReader {
  /** The record of the file. */
  readonly file: FileRecord

  constructor(
    { content, file, read, reportDamage }: Download,
    range: ByteRange | undefined,
    context: Context.Context<never>
  ) {
    const lastModified = { name: "last-modified", value: DateTime.toDateUtc(content.storedAt).toUTCString() }
    const { contentType, etag, sha256, size } = content
    const headers = [lastModified, ...Header.sent(file.headers)]
    super({ contentType, etag, size, sha256, headers, read, reportDamage }, range, context)
    this.file = toDates(File.fromStored(file))
  }
}
