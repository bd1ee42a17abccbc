/**
 * Uploads that continue where they were cut, also after the page was loaded again (tus 1.0.0, extension `creation`). The last request is
 * one of the draft "Resumable Uploads for HTTP": its answer has the record of the file, which tus does not permit.
 */
import * as HoldfastError from "../HoldfastError.ts"
import type { FileRecord } from "../Records.ts"
import { defaultBackoff, waitToRetry } from "./Backoff.ts"
import * as RememberedUploads from "./RememberedUploads.ts"
import type { UploadOptions } from "./Uploader.ts"
import { uploadTo } from "./UploadTo.ts"
import * as XhrUpload from "./XhrUpload.ts"

export interface ResumableOptions extends UploadOptions {
  /**
   * Where the ids of unfinished uploads are kept. No key is stored. Default: `localStorage`; where there is none, an upload does not
   * outlive the page.
   */
  readonly storage?: RememberedUploads.UploadStorage | undefined
  /** Bytes of one request. Progress goes back by less than that after a cut. Default: 16 MiB. */
  readonly chunkBytes?: number | undefined
  /** Smaller files are sent whole, by `uploadTo`. Bytes; default: 16 MiB. */
  readonly threshold?: number | undefined
  /** Attempts without a stored byte before the upload fails. Default: 5. */
  readonly maxAttempts?: number | undefined
  /** Returns the milliseconds to wait before another attempt; undefined for none. Default: `defaultBackoff`. */
  readonly backoff?: ((error: unknown, attempts: number) => number | undefined) | undefined
}

const mebibyte = 1024 * 1024

/** An upload has at most 10,000 parts. Each request adds one, and so does each cut. */
const mostRequests = 5000

interface Answer {
  readonly text: string
  readonly header: (name: string) => string | null
}

const offsetOf = ({ header }: Answer): number => Number(header("upload-offset"))

const parseRecord = ({ text }: Answer, signal: AbortSignal | undefined): FileRecord => {
  try {
    return JSON.parse(text) as FileRecord
  } catch (cause) {
    throw HoldfastError.fromFailure(cause, signal)
  }
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** Milliseconds since the epoch; in a day where the answer does not tell. */
const expiryOf = ({ header }: Answer): number => Date.parse(header("upload-expires") ?? "") || Date.now() + 86_400_000

/** Whether the upload cannot be continued. Answers to `HEAD` have no body with a code. */
const isOver = (error: unknown): boolean =>
  error instanceof HoldfastError.HoldfastError &&
  error.status !== undefined &&
  error.status < 500 &&
  ![401, 403, 408, 429].includes(error.status)

/** Whether another request has continued the upload. */
const isBehind = (error: unknown): boolean =>
  error instanceof HoldfastError.HoldfastError &&
  (error.code === "offset_mismatch" || error.code === "upload_superseded")

/** Whether the service has the upload no more: another tab has ended it, or it has expired. */
const isGone = (error: unknown): boolean =>
  error instanceof HoldfastError.HoldfastError && (error.status === 404 || error.status === 410)

/** Sends a request. Rejects with a `HoldfastError` unless the answer is successful. */
const send = async (
  method: "POST" | "HEAD" | "PATCH" | "DELETE",
  url: URL,
  headers: Headers,
  options: UploadOptions,
  body?: Blob
): Promise<Answer> => {
  const { onProgress, signal } = options
  const Xhr = body === undefined || onProgress === undefined ? undefined : XhrUpload.find()
  if (Xhr !== undefined && body !== undefined && onProgress !== undefined) {
    return XhrUpload.exchange(Xhr, { method, url: url.href, headers, body, size: body.size, onProgress, signal })
  }
  try {
    const init = { method, headers, ...(body && { body }), ...(signal && { signal }) }
    const { headers: received, ok, status, text } = await answerOf(await fetch(url, init))
    const header = (name: string) => received.get(name)
    if (!ok) throw HoldfastError.fromResponse(status, text, header)
    return { text, header }
  } catch (cause) {
    throw HoldfastError.fromFailure(cause, signal)
  }
}

const answerOf = async (response: Response) => ({
  headers: response.headers,
  ok: response.ok,
  status: response.status,
  text: await response.text()
})

const tus = (headers: Record<string, string> = {}) => new Headers({ "tus-resumable": "1.0.0", ...headers })

/** Returns where the uploads of a link are, and what `storage` remembers of the one of a file; undefined for other addresses. */
const locate = (url: string | URL, file: File, storage: RememberedUploads.UploadStorage | undefined) => {
  const address = new URL(url, (Reflect.get(globalThis, "location") as { readonly href: string } | undefined)?.href)
  if (!address.pathname.endsWith("/files/upload")) return undefined
  address.pathname += "s"
  const name = `${address.origin + address.pathname} ${RememberedUploads.identityOf(file)}`
  const addressOf = (uploadId: string): URL => {
    const one = new URL(address)
    one.pathname += `/${uploadId}`
    return one
  }
  return { address, addressOf, name, remembered: RememberedUploads.make(storage) }
}

/**
 * Ends the upload of a file that `uploadResumable` has begun and that is not wanted any more: the service removes its bytes now, and not when
 * the upload expires. Takes the same file and a link on the same terms. Does nothing where no upload was begun. Rejects with a
 * `HoldfastError`.
 */
export const discardResumable = async (
  url: string | URL,
  file: File,
  { signal, storage }: Pick<ResumableOptions, "signal" | "storage"> = {}
): Promise<void> => {
  const place = locate(url, file, storage)
  const id = place?.remembered.find(place.name)
  if (place === undefined || id === undefined) return
  // Before the request: an upload of the same file that begins meanwhile must not continue this one.
  place.remembered.remove(place.name)
  await send("DELETE", place.addressOf(id), tus(), { signal }).catch((error: unknown) => {
    if (!isOver(error)) throw error
  })
}

/**
 * Sends a file to an upload link, in requests that continue after a cut, after `signal` has paused it, and after the page was loaded
 * again: the next call with the same file and a link on the same terms goes on where the service has the bytes. Sends small files, and
 * those to other addresses, whole. Resolves with the record of the file, whose `checksum` is null at first if it was sent in parts. Rejects
 * with a `HoldfastError`.
 */
export const uploadResumable = async (
  url: string | URL,
  file: File,
  options: ResumableOptions = {}
): Promise<FileRecord> => {
  const { backoff = defaultBackoff, maxAttempts = 5, onProgress, signal, storage, threshold = 16 * mebibyte } = options
  const place = locate(url, file, storage)
  if (file.size <= threshold || place === undefined) return uploadTo(url, file, options)

  const { address, addressOf, name, remembered } = place
  const total = file.size
  const chunkBytes = Math.max(options.chunkBytes ?? 16 * mebibyte, Math.ceil(total / mostRequests))
  let id = remembered.find(name)

  const create = async (): Promise<number> => {
    const metadata = `filename ${base64(file.name)}${file.type === "" ? "" : `,filetype ${base64(file.type)}`}`
    const headers = tus({ "upload-length": String(total), "upload-metadata": metadata })
    const answer = await send("POST", address, headers, { signal })
    // A proxy may have changed the path before the id.
    id = answer.header("location")?.split("/").at(-1) ?? ""
    remembered.set(name, { id, expiresAt: expiryOf(answer) })
    return 0
  }

  const find = async (uploadId: string): Promise<number> => {
    try {
      return offsetOf(await send("HEAD", addressOf(uploadId), tus(), { signal }))
    } catch (error) {
      if (!isOver(error)) throw error
      remembered.remove(name)
      return create()
    }
  }

  const append = (uploadId: string, offset: number, headers: Headers): Promise<Answer> => {
    const progress = onProgress && (({ sent }: { readonly sent: number }) => onProgress({ sent: offset + sent, total }))
    const body = file.slice(offset, offset + chunkBytes)
    return send("PATCH", addressOf(uploadId), headers, { signal, onProgress: progress }, body)
  }

  let failures = 0
  let stored = 0

  /** Sends the bytes after an offset, and returns the record of the file. Where the service has all of them, the last request is empty. */
  const sendFrom = async (uploadId: string, offset: number): Promise<FileRecord> => {
    onProgress?.({ sent: offset, total })
    if (offset > stored) [stored, failures] = [offset, 0]
    const position = { "upload-offset": String(offset) }
    if (offset + chunkBytes >= total) {
      const last = new Headers({ ...position, "upload-complete": "?1", "content-type": "application/partial-upload" })
      return parseRecord(await append(uploadId, offset, last), signal)
    }
    const answer = await append(
      uploadId,
      offset,
      tus({ ...position, "content-type": "application/offset+octet-stream" })
    )
    remembered.set(name, { id: uploadId, expiresAt: expiryOf(answer) })
    return sendFrom(uploadId, offsetOf(answer))
  }

  const attempt = async (): Promise<FileRecord> => {
    let isCreated = false
    try {
      const offset = id === undefined ? await create() : await find(id)
      isCreated = true
      return await sendFrom(id ?? "", offset)
    } catch (error) {
      // The next attempt asks where the upload is, and creates another one if it is gone.
      const isStale = isBehind(error) || (isCreated && isGone(error))
      const delay = ++failures < maxAttempts ? (isStale ? 0 : backoff(error, failures)) : undefined
      if (delay === undefined) throw error
      await waitToRetry(delay, signal)
      return attempt()
    }
  }

  const record = await attempt()
  remembered.remove(name)
  onProgress?.({ sent: total, total })
  return record
}
