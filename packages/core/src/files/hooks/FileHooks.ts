/**
 * Hooks: what the application does before a content is stored or a file is removed, and may refuse, and what it does afterwards.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { FileRef } from "../FileRef.ts"
import type { EventActor } from "../../events/Event.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import type { File } from "../File.ts"

/** A content that is about to be stored, and where. */
export interface NewContent {
  readonly tenantId: string
  readonly bucketId: string
  readonly path: string
  readonly name: string
  readonly metadata: File["metadata"]
  /** The media type that the file will have. */
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal; null for a content that was uploaded in parts, whose digest the service computes later. */
  readonly sha256: string | null
}

export interface Upload {
  readonly file: NewContent
  readonly actor: EventActor
  /** The bytes, which are durable and which no reader can see yet. It works while the hook runs. */
  readonly content: Stream.Stream<Uint8Array, BlobError>
}

export interface Replacement extends Upload {
  /** The file whose content is about to be replaced. */
  readonly current: File & FileRef
}

export interface Deletion {
  readonly file: File & FileRef
  readonly actor: EventActor
}

/**
 * Succeeds to permit a change, and fails with `ChangeRefused` to refuse it. Any other failure, and one that takes too long, also prevents
 * the change: the caller gets `HookFailed`.
 */
export type Before<Change> = (change: Change) => Effect.Effect<void, unknown>

/** A change of a file that was made. */
export interface CompletedChange {
  /** The id of the event of the change: the same in each call for this change. */
  readonly id: string
  readonly at: DateTime.Utc
  readonly tenantId: string
  readonly bucketId: string
  readonly fileId: string
  readonly path: string
  readonly name: string
  readonly version: number | null
  /** Bytes; null for a removal. */
  readonly size: number | null
  readonly actor: EventActor
}

/** Runs after the change, at least once: again after a failure and after a crash. It must bear to be called twice. */
export type After = (change: CompletedChange) => Effect.Effect<void, unknown>

export interface Hook<Change> {
  readonly before?: Before<Change> | undefined
  readonly after?: After | undefined
}

export interface FileHooks {
  /** Every content that is stored, also one that replaces another, and every copy. */
  readonly onUpload?: Hook<Upload> | undefined
  /** In addition, a content that replaces the content of a file. */
  readonly onReplace?: Hook<Replacement> | undefined
  /** Every file that is removed by a request for this file. The removal of a bucket or tenant calls no hooks. */
  readonly onDelete?: Hook<Deletion> | undefined
  /** How long one call may take. Default: one minute. */
  readonly timeout?: Duration.Input | undefined
  /** How many hooks of one tenant run at once; further ones wait. Default: 4. */
  readonly concurrency?: number | undefined
}

/** The hooks of this process. By default there are none. */
export const FileHooks = Context.Reference<FileHooks>("@holdfast/core/files/hooks/FileHooks", {
  defaultValue: () => ({})
})

/** Returns the actions of the events after which a hook runs. */
export const hookedActions = ({ onDelete, onReplace, onUpload }: FileHooks): ReadonlySet<string> =>
  new Set([
    ...(onUpload?.after === undefined ? [] : ["file.created"]),
    ...(onUpload?.after === undefined && onReplace?.after === undefined ? [] : ["content.replaced"]),
    ...(onDelete?.after === undefined ? [] : ["file.deleted"])
  ])

/** Provide it to `Holdfast.layer` and to the layer of the metadata, in each process that changes files. */
export const layer = (hooks: FileHooks): Layer.Layer<never> => Layer.succeed(FileHooks, hooks)
