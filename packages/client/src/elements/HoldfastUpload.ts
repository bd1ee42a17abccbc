/**
 * `<holdfast-upload endpoint="…">`: a button and an area to drop files on, with the list of the uploads.
 *
 * For each file the element sends `{ name, type, size }` as JSON to `endpoint`, which belongs to the page's own backend, with
 * the cookies of the page. The backend answers `{ url }`, an address that permits this upload. So no page has an API key.
 *
 * Events: `holdfast-complete` with `{ file, result }`, where `result` is the record of the file, and `holdfast-fail` with
 * `{ file, error }`. Both bubble.
 */
import { discardResumable, HoldfastError, uploadResumable } from "@holdfast/http/client"
import { createUploader, type UploadCall, type Uploader, type UploadState } from "../Uploader.ts"
import { applyStyle, BaseElement } from "./BaseElement.ts"
import * as UploadList from "./UploadList.ts"

const style = `
:host { display: block; font: inherit; }
:host([hidden]), button[hidden] { display: none; }
label { border: 2px dashed currentColor; border-radius: 0.5em; cursor: pointer; display: block; padding: 1em; text-align: center; }
label:focus-within, label[data-over] { outline: 3px solid Highlight; outline-offset: 2px; }
input { height: 1px; opacity: 0; position: absolute; width: 1px; }
ul { list-style: none; margin: 0.5em 0 0; padding: 0; }
li { align-items: center; display: flex; flex-wrap: wrap; gap: 0.5em; padding: 0.25em 0; }
progress { flex: 1 1 8em; }
`

/** Returns the address that the backend of the page gives for one file. */
const requestAddress = async (endpoint: string, file: File, signal: AbortSignal): Promise<string> => {
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: file.name, type: file.type, size: file.size }),
      signal
    })
    const answer: unknown = response.ok ? await response.json() : undefined
    if (typeof answer === "object" && answer !== null && "url" in answer && typeof answer.url === "string") {
      return new URL(answer.url, response.url).href
    }
    // The service's codes for the statuses after which the queue tries again.
    const code =
      response.status === 429 ? "rate_limited" : response.status === 503 ? "unavailable" : "unexpected_answer"
    throw new HoldfastError(code, `The endpoint answered ${response.status} without a url.`, {
      status: response.status
    })
  } catch (cause) {
    if (cause instanceof HoldfastError) throw cause
    throw new HoldfastError("network_error", "The endpoint sent no complete response.", {}, { cause })
  }
}

export class HoldfastUpload extends BaseElement {
  /** Sends one file. Replace it to send files in another way. It must be set before the first file is added. */
  upload = async (file: File, call: UploadCall): Promise<unknown> => {
    const address = await requestAddress(this.getAttribute("endpoint") ?? "", file, call.signal)
    this.#addresses.set(file, address)
    return uploadResumable(address, file, call)
  }

  /** Where a file was sent last. */
  readonly #addresses = new WeakMap<File, string>()

  #uploader: Uploader<unknown> | undefined
  #stop: (() => void) | undefined
  #show: (() => void) | undefined

  /** The queue of this element. */
  get uploader(): Uploader<unknown> {
    const concurrency = Number(this.getAttribute("concurrency") ?? 3)
    this.#uploader ??= createUploader({
      upload: (file, call) => this.upload(file, call),
      discard: async (file) => {
        const address = this.#addresses.get(file)
        if (address !== undefined) await discardResumable(address, file)
      },
      concurrency: Number.isInteger(concurrency) && concurrency > 0 ? concurrency : 3
    })
    return this.#uploader
  }

  connectedCallback(): void {
    if (this.#show === undefined) this.#show = this.#build()
    const states = new Map<string, UploadState>()
    const update = (): void => {
      this.#show?.()
      this.#announce(states)
    }
    this.#stop = this.uploader.subscribe(update)
    update()
  }

  disconnectedCallback(): void {
    this.#stop?.()
  }

  #build(): () => void {
    const root = this.attachShadow({ mode: "open" })
    applyStyle(root, style)
    const label = document.createElement("label")
    const input = document.createElement("input")
    const list = UploadList.make(this.uploader)
    input.type = "file"
    input.multiple = this.hasAttribute("multiple")
    input.accept = this.getAttribute("accept") ?? ""
    label.append(this.getAttribute("label") ?? "Choose files, or drop them here", input)
    input.addEventListener("change", () => {
      this.uploader.add(input.files ?? [])
      // So that the same file can be chosen again.
      input.value = ""
    })
    const over = (isOver: boolean) => (event: DragEvent) => {
      event.preventDefault()
      label.toggleAttribute("data-over", isOver)
    }
    label.addEventListener("dragover", over(true))
    label.addEventListener("dragleave", over(false))
    label.addEventListener("drop", (event) => {
      over(false)(event)
      const files = [...(event.dataTransfer?.files ?? [])]
      this.uploader.add(input.multiple ? files : files.slice(0, 1))
    })
    root.append(label, list.element)
    return list.update
  }

  /** Dispatches an event for each item that has just ended. */
  #announce(states: Map<string, UploadState>): void {
    for (const { error, file, id, result, state } of this.uploader.getSnapshot().items) {
      if (states.get(id) === state) continue
      states.set(id, state)
      if (state === "completed") this.#dispatch("holdfast-complete", { file, result })
      if (state === "failed") this.#dispatch("holdfast-fail", { file, error })
    }
  }

  #dispatch(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }))
  }
}
