import * as Data from "effect/Data"

/** The settings name no database of this version. */
export class NoDatabase extends Data.TaggedError("NoDatabase")<{
  /** What is wrong, and what to do. */
  readonly message: string
}> {}
