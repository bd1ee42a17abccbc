/**
 * Uploads that continue where they were cut, also after the page was loaded again (tus 1.0.0, extension `creation`).
 */
import * as HoldfastError from "../HoldfastError.ts"
import { defaultBackoff, sleep } from "./Backoff.ts"
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

/** The file that an upload has made. */
export interface UploadedFile {
  readonly id: string
}

const mebibyte = 1024 * 1024

/** An upload has at most 10,000 parts. Each request adds one, and so does each cut. */
const mostRequests = 5000

/** What an answer says of an upload. */
interface State {
  readonly offset: number
  /** Once the upload is complete. */
  readonly fileId: string | null
}

interface Answer {
  readonly header: (name: string) => string | null
}

const stateOf = ({ header }: Answer): State => ({
  offset: Number(header("upload-offset")),
  fileId: header("holdfast-file-id")
})

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

/** Sends a request. Rejects with a `HoldfastError` unless the answer is successful. */
const send = async (
  method: "POST" | "HEAD" | "PATCH",
  url: URL,
  headers: Headers,
  options: UploadOptions,
  body?: Blob
) => {
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
    return { header }
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

/**
 * Sends a file to an upload link, in requests that continue after a cut, after `signal` has paused it, and after the page was loaded
 * again: the next call with the same file and a link on the same terms goes on where the service has the bytes. Resolves with the id of
 * the file. Rejects with a `HoldfastError`. Sends small files, and those to other addresses, whole.
 */
export const uploadResumable = async (
  url: string | URL,
  file: File,
  options: ResumableOptions = {}
): Promise<UploadedFile> => {
  const { backoff = defaultBackoff, maxAttempts = 5, onProgress, signal, storage, threshold = 16 * mebibyte } = options
  const address = new URL(url, (Reflect.get(globalThis, "location") as { readonly href: string } | undefined)?.href)
  if (file.size <= threshold || !address.pathname.endsWith("/files/upload")) return uploadTo(address, file, options)

  const total = file.size
  const chunkBytes = Math.max(options.chunkBytes ?? 16 * mebibyte, Math.ceil(total / mostRequests))
  const remembered = RememberedUploads.make(storage)
  address.pathname += "s"
  const name = [address.origin + address.pathname, file.name, total, file.lastModified, file.type].join(" ")
  let id = remembered.find(name)

  const addressOf = (uploadId: string): URL => {
    const one = new URL(address)
    one.pathname += `/${uploadId}`
    return one
  }
  const tus = (headers: Record<string, string> = {}) => new Headers({ "tus-resumable": "1.0.0", ...headers })

  const create = async (): Promise<State> => {
    const metadata = `filename ${base64(file.name)}${file.type === "" ? "" : `,filetype ${base64(file.type)}`}`
    const headers = tus({ "upload-length": String(total), "upload-metadata": metadata })
    const answer = await send("POST", address, headers, { signal })
    // A proxy may have changed the path before the id.
    id = answer.header("location")?.split("/").at(-1) ?? ""
    remembered.set(name, { id, expiresAt: expiryOf(answer) })
    return { offset: 0, fileId: null }
  }

  const find = async (uploadId: string): Promise<State> => {
    try {
      return stateOf(await send("HEAD", addressOf(uploadId), tus(), { signal }))
    } catch (error) {
      if (!isOver(error)) throw error
      remembered.remove(name)
      return create()
    }
  }

  const append = async (uploadId: string, offset: number): Promise<State> => {
    const headers = tus({ "upload-offset": String(offset), "content-type": "application/offset+octet-stream" })
    const progress = onProgress && (({ sent }: { readonly sent: number }) => onProgress({ sent: offset + sent, total }))
    const body = file.slice(offset, offset + chunkBytes)
    const answer = await send("PATCH", addressOf(uploadId), headers, { signal, onProgress: progress }, body)
    remembered.set(name, { id: uploadId, expiresAt: expiryOf(answer) })
    return stateOf(answer)
  }

  let failures = 0
  let stored = 0

  /** Sends the bytes after an offset, and returns the id of the file. */
  const sendFrom = async ({ fileId, offset }: State): Promise<string> => {
    if (fileId !== null) return fileId
    onProgress?.({ sent: offset, total })
    if (offset > stored) [stored, failures] = [offset, 0]
    return sendFrom(await append(id ?? "", offset))
  }

  const attempt = async (): Promise<string> => {
    try {
      return await sendFrom(id === undefined ? await create() : await find(id))
    } catch (error) {
      const delay = ++failures < maxAttempts ? (isBehind(error) ? 0 : backoff(error, failures)) : undefined
      if (delay === undefined) throw error
      await sleep(delay, signal)
      return attempt()
    }
  }

  const fileId = await attempt()
  remembered.remove(name)
  onProgress?.({ sent: total, total })
  return { id: fileId }
}
