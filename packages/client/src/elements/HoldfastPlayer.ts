/**
 * `<holdfast-player src="…" title="…">`: the player page of a stream, in a frame that keeps the proportions of the video.
 */
import { applyStyle, BaseElement } from "./BaseElement.ts"

const style = `
:host { display: block; aspect-ratio: 16 / 9; }
:host([hidden]) { display: none; }
iframe { border: 0; display: block; height: 100%; width: 100%; }
`

/** The property of every message, by which the page and the player know each other. */
const protocol = "holdfast-player"

/** The state of the player, with the event that changed it. */
export interface PlayerState {
  readonly type:
    | "ready"
    | "play"
    | "pause"
    | "ended"
    | "seeking"
    | "seeked"
    | "timeupdate"
    | "volumechange"
    | "ratechange"
    | "error"
  /**
   * Why the stream cannot be played; only with `error`. With `forbidden`, the key of `src` is not valid any more: set another one, with
   * `seek=` and `time` to continue there.
   */
  readonly reason?: "failed" | "missing" | "forbidden" | "unplayable" | "unsupported" | undefined
  /** Seconds from the beginning. */
  readonly time: number
  /** Seconds; null while it is not known. */
  readonly duration: number | null
  readonly paused: boolean
  readonly muted: boolean
  /** From 0 to 1. */
  readonly volume: number
  /** 1 is normal speed. */
  readonly speed: number
}

/** Dispatches `holdfast-player` with a `PlayerState` as `detail`. */
export class HoldfastPlayer extends BaseElement {
  static readonly observedAttributes = ["src", "title", "accent"]

  #frame: HTMLIFrameElement | undefined

  /** Whether the page in the frame has loaded: then it listens, and may be styled. */
  #isLoaded = false

  /** Whether it can be commanded. */
  #isReady = false

  #theme: string | undefined

  readonly #receive = ({ data, source }: MessageEvent<unknown>): void => {
    const message = Object(data) as PlayerState & { readonly source?: unknown }
    if (source === null || source !== this.#frame?.contentWindow || message.source !== protocol) return
    if (message.type === "ready") this.#isReady = true
    this.dispatchEvent(new CustomEvent("holdfast-player", { detail: message }))
  }

  connectedCallback(): void {
    if (this.#frame === undefined) {
      const root = this.attachShadow({ mode: "open" })
      applyStyle(root, style)
      const frame = document.createElement("iframe")
      frame.allow = "autoplay; fullscreen; picture-in-picture"
      // The address has the key of the stream.
      frame.referrerPolicy = "no-referrer"
      frame.addEventListener("load", () => {
        this.#isLoaded = frame.hasAttribute("src")
        this.#style()
      })
      root.append(frame)
      this.#frame = frame
    }
    addEventListener("message", this.#receive)
    this.attributeChangedCallback()
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.#receive)
    // The browser loads the frame again when the element is connected again.
    this.#unload()
  }

  attributeChangedCallback(): void {
    const frame = this.#frame
    if (frame === undefined) return
    frame.title = this.getAttribute("title") ?? "Video"
    const src = this.getAttribute("src")
    if (frame.getAttribute("src") !== src) {
      this.#unload()
      if (src === null) frame.removeAttribute("src")
      else frame.src = src
    }
    this.#style()
  }

  /** This and the following methods do nothing before the event `ready`. */
  play(): void {
    this.#send("play")
  }

  pause(): void {
    this.#send("pause")
  }

  /** @param seconds From the beginning. */
  seek(seconds: number): void {
    this.#send("seek", seconds)
  }

  /** @param volume From 0 to 1. */
  setVolume(volume: number): void {
    this.#send("volume", volume)
  }

  setMuted(muted: boolean): void {
    this.#send("muted", muted)
  }

  /** @param speed From 0.25 to 4; 1 is normal. */
  setSpeed(speed: number): void {
    this.#send("speed", speed)
  }

  /**
   * Styles the controls, at once and whenever the frame is loaded again.
   *
   * @param rules Style rules whose selectors are `::part(name)`, at most 65,536 characters. They replace those set before.
   */
  setTheme(rules: string): void {
    this.#theme = rules
    this.#style()
  }

  #unload(): void {
    this.#isLoaded = false
    this.#isReady = false
  }

  #style(): void {
    if (!this.#isLoaded) return
    const accent = this.getAttribute("accent")
    if (accent !== null) this.#post("accent", accent)
    if (this.#theme !== undefined) this.#post("theme", this.#theme)
  }

  #send(command: string, value?: unknown): void {
    if (this.#isReady) this.#post(command, value)
  }

  #post(command: string, value: unknown): void {
    const frame = this.#frame
    if (frame === undefined) return
    frame.contentWindow?.postMessage({ target: protocol, command, value }, new URL(frame.src).origin)
  }
}
