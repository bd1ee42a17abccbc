/**
 * Hooks of programs without Effect: the option `hooks` of `open`.
 */
import type * as Duration from "effect/Duration"
import type { EventActor } from "../events/Event.ts"
import type { CompletedChange as EffectChange, NewContent } from "../files/hooks/FileHooks.ts"
import type { FileRecord } from "./resources/internal/FileRecords.ts"

/** A change that a hook may refuse. */
interface HookedChange {
  /** Who makes the change. */
  readonly actor: EventActor
  /** Fires when the result is no longer needed: the client has disconnected, or the hook has taken too long. */
  readonly signal: AbortSignal
}

/** A content that was received in full. No reader can see it yet. */
export interface UploadChange extends HookedChange {
  readonly file: NewContent
  /** The bytes, no faster than they are asked for. It can be read once, while the hook runs. */
  readonly content: AsyncIterable<Uint8Array>
}

export interface ReplaceChange extends UploadChange {
  /** The file whose content is about to be replaced. */
  readonly current: HookedFile
}

export interface DeleteChange extends HookedChange {
  readonly file: HookedFile
}

/** The record of a file, with the bucket that it is in. */
export interface HookedFile extends FileRecord {
  readonly tenantId: string
  readonly bucketId: string
  readonly fileId: string
}

/** The answer of a hook that refuses a change. `refuse` is the reason; the client gets it with the code `change_refused`. */
export interface Refusal {
  readonly refuse: string
}

/**
 * Resolves with nothing to permit a change, and with a `Refusal` to refuse it. A rejection prevents the change too: the client gets
 * `hook_failed`.
 */
export type BeforeHook<Change> = (change: Change) => Promise<Refusal | void> | Refusal | void

/** A change of a file that was made. */
export interface CompletedChange extends Omit<EffectChange, "at"> {
  readonly at: Date
}

/**
 * Runs after the change, at least once: again after a rejection, and after a crash of the process. `id` is the same in each call for a
 * change.
 */
export type AfterHook = (change: CompletedChange) => Promise<void> | void

interface Hook<Change> {
  readonly before?: BeforeHook<Change> | undefined
  readonly after?: AfterHook | undefined
}

export interface Hooks {
  /** Runs for every content that is stored, also for one that replaces another, and for every copy. */
  readonly onUpload?: Hook<UploadChange> | undefined
  /** Runs in addition for a content that replaces the content of a file. */
  readonly onReplace?: Hook<ReplaceChange> | undefined
  /** Runs for every file that a request removes. The removal of a bucket or tenant runs no hooks. */
  readonly onDelete?: Hook<DeleteChange> | undefined
  /** How long one call may take. Default: one minute. */
  readonly timeout?: Duration.Input | undefined
  /** How many hooks of one tenant run at once; further ones wait. Default: 4. */
  readonly concurrency?: number | undefined
}
