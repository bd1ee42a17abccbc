/**
 * The port that gives each run of a conversion a place on the local disk, where the transcoder reads and writes.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

/** The workspace could not be used. `StorageFull`: no room is left. */
export class WorkspaceError extends Data.TaggedError("WorkspaceError")<{
  readonly reason: "StorageFull" | "Internal"
  /** The method that failed, for the operator. */
  readonly operation: string
  readonly cause?: unknown
}> {
  override readonly message = "The workspace of a conversion failed."
}

/** A place for one run, which no other run uses. Paths are absolute. */
export interface Workspace {
  /** Where the content goes, once placed. */
  readonly input: string
  /** An empty directory for the transcoder's files. */
  readonly output: string
  /** An empty directory for the segments of another conversion. */
  readonly source: string
  /**
   * Puts bytes under a path of this workspace, at once where they are a local file already. They do not change or vanish
   * when that file is removed meanwhile.
   */
  readonly place: <E, R>(
    path: string,
    localFile: string | undefined,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<void, WorkspaceError | E, R>
  /** The bytes of a file that the transcoder has made, by its name in the output directory. */
  readonly read: (name: string) => Stream.Stream<Uint8Array, WorkspaceError>
}

export class ConversionWorkspace extends Context.Service<
  ConversionWorkspace,
  {
    /** A fresh workspace; it goes with all that it holds when the scope closes, or after this process has died. */
    readonly make: Effect.Effect<Workspace, WorkspaceError, Scope.Scope>
  }
>()("@holdfast/core/conversions/ConversionWorkspace") {}
