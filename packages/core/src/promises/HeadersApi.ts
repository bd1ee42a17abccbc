/**
 * `holdfast.headers`: what a file is served with.
 */
import type { FileRef } from "../files/FileRef.ts"
import type * as Header from "../headers/Header.ts"
import { Headers } from "../headers/Headers.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call } from "./Call.ts"
import type { CallOptions } from "./Runner.ts"

export class HeadersApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /** Attaches one header; one of the same name is replaced. */
  set(actor: ActorHandle, input: FileRef & Header.Header, options?: CallOptions): Promise<Header.Header> {
    return this.#call(actor, input, options, (as) => Headers.use((headers) => headers.set(as, input, input)))
  }

  /** Attaches several headers, all or none. */
  setAll(
    actor: ActorHandle,
    input: FileRef & Header.SetHeaders,
    options?: CallOptions
  ): Promise<ReadonlyArray<Header.Header>> {
    return this.#call(actor, input, options, (as) => Headers.use((headers) => headers.setAll(as, input, input)))
  }

  list(actor: ActorHandle, input: FileRef, options?: CallOptions): Promise<ReadonlyArray<Header.Header>> {
    return this.#call(actor, input, options, (as) => Headers.use((headers) => headers.list(as, input)))
  }

  /** Takes a header away, by its name in any case. */
  remove(actor: ActorHandle, input: FileRef & { readonly name: string }, options?: CallOptions): Promise<void> {
    return this.#call(actor, input, options, (as) => Headers.use((headers) => headers.remove(as, input, input.name)))
  }
}
