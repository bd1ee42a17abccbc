/**
 * The messages between a test and the process that sends requests for it.
 */
import type { Wait } from "../Waits.ts"

export interface Address {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The first command. */
export interface Start {
  readonly addresses: ReadonlyArray<Address>
  readonly intervalMs: number
  readonly timeoutMs: number
}

/** `now` asks for the process's time, `stop` for its waits. */
export type Command = { readonly start: Start } | "now" | "stop"

export type Report =
  /** A request to this address was answered for the first time. */
  | { readonly answered: string }
  /** Milliseconds since the first requests were due. */
  | { readonly nowMs: number }
  /** For each address. The last message. */
  | { readonly waits: ReadonlyArray<ReadonlyArray<Wait>> }
