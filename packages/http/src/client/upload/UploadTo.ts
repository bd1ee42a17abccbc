/**
 * Uploads to an address that permits one upload, such as an upload link. The browser needs no API key.
 */
import * as HoldfastError from "../HoldfastError.ts"
import type { FileRecord } from "../Records.ts"
import type { UploadOptions } from "./Uploader.ts"
import * as XhrUpload from "./XhrUpload.ts"

export interface UploadToOptions extends UploadOptions {
  /** Default: `PUT`. */
  readonly method?: "PUT" | "POST" | undefined
}

/** Sends a content as the body of a request, and returns the record of its file. Rejects with a `HoldfastError`. */
export const uploadTo = async (
  url: string | URL,
  content: Blob,
  { method = "PUT", onProgress, signal }: UploadToOptions = {}
): Promise<FileRecord> => {
  const headers = new Headers(content.type === "" ? {} : { "content-type": content.type })
  const Xhr = onProgress === undefined ? undefined : XhrUpload.find()
  if (Xhr !== undefined && onProgress !== undefined) {
    const request = { method, url: String(url), headers, body: content, size: content.size, onProgress, signal }
    return XhrUpload.send(Xhr, request)
  }
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: content,
      ...(signal === undefined ? undefined : { signal })
    })
    if (!response.ok) {
      throw HoldfastError.fromResponse(response.status, await response.text(), (name) => response.headers.get(name))
    }
    const record = (await response.json()) as FileRecord
    onProgress?.({ sent: content.size, total: content.size })
    return record
  } catch (cause) {
    throw HoldfastError.fromFailure(cause, signal)
  }
}
