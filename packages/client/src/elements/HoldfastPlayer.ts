/**
 * `<holdfast-player src="…" title="…">`: the player page of a stream, in a frame that keeps the proportions of the video.
 */
import { applyStyle, BaseElement } from "./BaseElement.ts"

const style = `
:host { display: block; aspect-ratio: 16 / 9; }
:host([hidden]) { display: none; }
iframe { border: 0; display: block; height: 100%; width: 100%; }
`

export class HoldfastPlayer extends BaseElement {
  static readonly observedAttributes = ["src", "title"]

  #frame: HTMLIFrameElement | undefined

  connectedCallback(): void {
    if (this.#frame === undefined) {
      const root = this.attachShadow({ mode: "open" })
      applyStyle(root, style)
      const frame = document.createElement("iframe")
      frame.allow = "autoplay; fullscreen; picture-in-picture"
      // The address has the key of the stream.
      frame.referrerPolicy = "no-referrer"
      root.append(frame)
      this.#frame = frame
    }
    this.attributeChangedCallback()
  }

  attributeChangedCallback(): void {
    const frame = this.#frame
    if (frame === undefined) return
    frame.title = this.getAttribute("title") ?? "Video"
    const src = this.getAttribute("src")
    if (src === null) frame.removeAttribute("src")
    else if (frame.getAttribute("src") !== src) frame.src = src
  }
}
