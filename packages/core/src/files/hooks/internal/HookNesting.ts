/**
 * Which hooks an effect runs within: a hook may itself change files, whose hooks run meanwhile.
 */
import * as Context from "effect/Context"

export interface HookNesting {
  /** Hooks that run around the effect, each because the one before it has changed a file. */
  readonly depth: number
  /** The places that one of them holds a turn for: to wait for it would be to wait for itself. */
  readonly turns: ReadonlySet<string>
}

export const HookNesting = Context.Reference<HookNesting>("@holdfast/core/files/hooks/internal/HookNesting", {
  defaultValue: () => ({ depth: 0, turns: new Set() })
})

/** Hooks within hooks. A hook that changes files without an end, because its own changes call it, ends there. */
export const maxDepth = 4
