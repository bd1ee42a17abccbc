/**
 * Uploads by `XMLHttpRequest`: browsers tell nobody but it how much of a body has been sent.
 */
import * as ClientError from "./ClientError.ts"
import type { OnProgress } from "./Content.ts"

/** A `ProgressEvent`. */
interface ProgressLike extends Event {
  readonly loaded: number
  readonly total: number
}

/** As much of it as is used here; the types of a browser are not at hand. */
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

/** The platform's constructor; undefined outside of browsers, and in their service workers. */
export const find = (): XhrConstructor | undefined => {
  const found: unknown = Reflect.get(globalThis, "XMLHttpRequest")
  return typeof found === "function" ? (found as XhrConstructor) : undefined
}

export interface XhrCall {
  readonly url: string
  readonly headers: Headers
  readonly body: Blob | FormData
  /** Bytes of the content; what a form has beside it does not count. */
  readonly size: number
  readonly onProgress: OnProgress
  readonly signal: AbortSignal | undefined
}

/** Sends a POST; the JSON of an answer of success. */
export const send = <A>(Xhr: XhrConstructor, { body, headers, onProgress, signal, size, url }: XhrCall): Promise<A> =>
  new Promise((resolve, reject) => {
    const xhr = new Xhr()
    const abort = (): void => xhr.abort()
    const fail = (cause: unknown): void => {
      signal?.removeEventListener("abort", abort)
      reject(ClientError.fromFailure(cause, signal))
    }
    xhr.upload.addEventListener("progress", (event) => {
      const { loaded, total } = event as ProgressLike
      const beside = Math.max(0, total - size)
      onProgress({ sent: Math.min(size, Math.max(0, loaded - beside)), total: size })
    })
    xhr.addEventListener("error", () => fail(new TypeError("The request failed.")))
    xhr.addEventListener("abort", () => fail(signal?.reason))
    xhr.addEventListener("load", () => {
      const { responseText, status } = xhr
      if (status < 200 || status > 299) {
        return fail(ClientError.fromAnswer(status, responseText, (name) => xhr.getResponseHeader(name)))
      }
      signal?.removeEventListener("abort", abort)
      try {
        resolve(JSON.parse(responseText) as A)
      } catch (cause) {
        fail(cause)
      }
    })
    if (signal?.aborted === true) return fail(signal.reason)
    signal?.addEventListener("abort", abort)
    xhr.open("POST", url)
    headers.forEach((value, name) => xhr.setRequestHeader(name, value))
    xhr.send(body)
  })
