/**
 * An `XMLHttpRequest` over `fetch`. Its progress counts the whole body, the parts of a form included, as in browsers.
 */

/** The methods of the requests so far. */
export const calls: Array<string> = []

const progress = (loaded: number, total: number): Event =>
  Object.defineProperties(new Event("progress"), { loaded: { value: loaded }, total: { value: total } })

export class FakeXhr extends EventTarget {
  readonly upload = new EventTarget()
  status = 0
  responseText = ""
  readonly #headers = new Headers()
  readonly #abort = new AbortController()
  #url = ""
  #response: Headers | undefined

  open(method: string, url: string): void {
    calls.push(method)
    this.#url = url
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers.set(name, value)
  }

  getResponseHeader(name: string): string | null {
    return this.#response?.get(name) ?? null
  }

  abort(): void {
    this.#abort.abort()
  }

  send(body: Blob | FormData): void {
    this.#run(body).catch(() => this.dispatchEvent(new Event(this.#abort.signal.aborted ? "abort" : "error")))
  }

  async #run(body: Blob | FormData): Promise<void> {
    const total = (await new Response(body).arrayBuffer()).byteLength
    this.upload.dispatchEvent(progress(0, total))
    const { signal } = this.#abort
    signal.throwIfAborted()
    const response = await fetch(this.#url, { method: "POST", headers: this.#headers, body, signal })
    this.upload.dispatchEvent(progress(total, total))
    this.#response = response.headers
    this.status = response.status
    this.responseText = await response.text()
    this.dispatchEvent(new Event("load"))
  }
}
