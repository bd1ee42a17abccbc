/**
 * Uploads by `XMLHttpRequest`. Browsers report the progress of a request body by no other API.
 */
import * as HoldfastError from "../HoldfastError.ts"
import type { OnProgress } from "./OutgoingContent.ts"

/** A `ProgressEvent`. */
interface ProgressLike extends Event {
  readonly loaded: number
  readonly total: number
}

/** The members of `XMLHttpRequest` that are used here; the project is compiled without the types of browsers. */
interface XhrLike extends EventTarget {
  readonly upload: EventTarget
  readonly status: number
  readonly responseText: string
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body: Blob | FormData): void
  abort(): void
}

type XhrConstructor = new () => XhrLike

/** Returns the constructor of the platform; undefined outside of browsers and in service workers. */
export const find = (): XhrConstructor | undefined => {
  const found: unknown = Reflect.get(globalThis, "XMLHttpRequest")
  return typeof found === "function" ? (found as XhrConstructor) : undefined
}

interface XhrRequest {
  /** Default: `POST`. */
  readonly method?: "PUT" | "POST" | "PATCH" | "HEAD" | "DELETE" | undefined
  readonly url: string
  readonly headers: Headers
  readonly body: Blob | FormData
  /** Bytes of the content, without the other parts of a form. */
  readonly size: number
  readonly onProgress: OnProgress
  readonly signal: AbortSignal | undefined
}

export interface XhrAnswer {
  readonly text: string
  readonly header: (name: string) => string | null
}

/** Sends a request, and returns a successful response. Rejects with `HoldfastError` otherwise. */
export const exchange = (Xhr: XhrConstructor, request: XhrRequest): Promise<XhrAnswer> =>
  new Promise((resolve, reject) => {
    const { body, headers, method = "POST", onProgress, signal, size, url } = request
    const xhr = new Xhr()
    const abort = (): void => xhr.abort()
    const fail = (cause: unknown): void => {
      signal?.removeEventListener("abort", abort)
      reject(HoldfastError.fromFailure(cause, signal))
    }
    xhr.upload.addEventListener("progress", (event) => {
      const { loaded, total } = event as ProgressLike
      // The bytes of the form besides the content; they count as sent first.
      const overhead = Math.max(0, total - size)
      onProgress({ sent: Math.min(size, Math.max(0, loaded - overhead)), total: size })
    })
    xhr.addEventListener("error", () => fail(new TypeError("The request failed.")))
    xhr.addEventListener("abort", () => fail(signal?.reason))
    xhr.addEventListener("load", () => {
      const { responseText: text, status } = xhr
      const header = (name: string) => xhr.getResponseHeader(name)
      if (status < 200 || status > 299) return fail(HoldfastError.fromResponse(status, text, header))
      signal?.removeEventListener("abort", abort)
      resolve({ text, header })
    })
    if (signal?.aborted === true) return fail(signal.reason)
    signal?.addEventListener("abort", abort)
    xhr.open(method, url)
    headers.forEach((value, name) => xhr.setRequestHeader(name, value))
    xhr.send(body)
  })

/** Sends a request, and returns the JSON of a successful response. Rejects with `HoldfastError` otherwise. */
export const send = async <A>(Xhr: XhrConstructor, request: XhrRequest): Promise<A> => {
  const { text } = await exchange(Xhr, request)
  try {
    return JSON.parse(text) as A
  } catch (cause) {
    throw HoldfastError.fromFailure(cause, request.signal)
  }
}
