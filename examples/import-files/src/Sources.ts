/**
 * Sources of an import: a bucket of the S3 protocol, and a directory.
 */
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from "@aws-sdk/client-s3"
import { createReadStream } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { Readable } from "node:stream"
import type { SourceFile } from "./Import.ts"

/** The objects of a bucket, with their content types and metadata. */
export async function* fromS3(client: S3Client, bucketName: string): AsyncGenerator<SourceFile> {
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucketName })) {
    for (const { Key: key = "" } of page.Contents ?? []) {
      // An object whose key ends with a slash marks a folder.
      if (key.endsWith("/")) continue
      const open = async () => {
        const { Body, ContentLength, ContentType, Metadata } = await client.send(
          new GetObjectCommand({ Bucket: bucketName, Key: key })
        )
        if (!(Body instanceof Readable)) throw new Error("The answer has no content.")
        return { content: Body, length: ContentLength ?? 0, contentType: ContentType, metadata: Metadata }
      }
      yield { key, open }
    }
  }
}

/** The files of a directory and of the directories in it. */
export async function* fromDirectory(directory: string): AsyncGenerator<SourceFile> {
  for await (const entry of await Fs.opendir(directory, { recursive: true })) {
    if (!entry.isFile()) continue
    const path = Path.join(entry.parentPath, entry.name)
    const open = async () => ({ content: createReadStream(path), length: (await Fs.stat(path)).size })
    yield { key: Path.relative(directory, path).replaceAll(Path.sep, "/"), open }
  }
}
