/**
 * The port that gives each run of a conversion a directory on the local disk, in which the transcoder reads and writes.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Source } from "../../packaging/Source.ts"

/** A workspace operation failed. `StorageFull`: the disk is full, except for what is reserved. */
export class WorkspaceError extends Data.TaggedError("WorkspaceError")<{
  readonly reason: "StorageFull" | "Internal"
  /** The method that failed, for the operator. */
  readonly operation: string
  readonly cause?: unknown
}> {
  override readonly message = "The workspace of a conversion failed."
}

/** A file to add to a workspace. */
export interface WorkspaceFile<E, R> {
  /** Absolute path in the workspace. */
  readonly path: string
  /** A local file with the same bytes, if there is one. */
  readonly localFile: string | undefined
  /** The bytes; read if there is no local file. */
  readonly content: Stream.Stream<Uint8Array, E, R>
}

/** The directories of one run, which no other run uses. Paths are absolute. */
export interface Workspace {
  /** Where the run adds the content. */
  readonly input: string
  /** An empty directory for the transcoder's output. */
  readonly output: string
  /** An empty directory for the segments of another conversion. */
  readonly source: string
  /**
   * Adds a file. A local file is linked or copied without reading `content`. The added file keeps its bytes when the local
   * file is removed.
   */
  readonly addFile: <E, R>(file: WorkspaceFile<E, R>) => Effect.Effect<void, WorkspaceError | E, R>
  /**
   * Fails with `StorageFull` when the disk is full, except for what is reserved. The transcoder writes its files itself, so the
   * run watches the disk beside it.
   */
  readonly watch: Effect.Effect<never, WorkspaceError>
  /** Reads a file that the transcoder has written, by its name in the output directory. */
  readonly read: (name: string) => Stream.Stream<Uint8Array, WorkspaceError>
  /** Opens such a file, of which ranges are read. */
  readonly open: (name: string) => Effect.Effect<Source<WorkspaceError>, WorkspaceError>
}

export class ConversionWorkspace extends Context.Service<
  ConversionWorkspace,
  {
    /**
     * Makes a fresh workspace. It is removed with all its files when the scope closes, or after this process has died.
     */
    readonly make: Effect.Effect<Workspace, WorkspaceError, Scope.Scope>
  }
>()("@holdfast/core/conversions/worker/ConversionWorkspace") {}
