/**
 * Injects faults into a target in memory: makes calls fail or wait, and counts them.
 */
import { MirrorTargetError, type Reason } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export type Method = "check" | "write" | "describe" | "remove" | "stat" | "read" | "list"

/** Selects calls; all calls when empty. */
interface CallFilter {
  readonly method?: Method
  /** Matches the name of the object. Calls of `check` and `list` have the empty text. */
  readonly name?: (name: string) => boolean
}

interface Block {
  /** Waits until a call is blocked. */
  readonly reached: Effect.Effect<void>
  /** Lets the blocked calls proceed, and ends the block. */
  readonly release: Effect.Effect<void>
}

export interface MirrorFaults {
  /** Makes the next `times` calls fail before they do anything. Further failures are used up after this one. */
  readonly failNext: (times: number, reason: Reason, filter?: CallFilter) => Effect.Effect<void>
  /** Blocks calls once they have begun; those of `write` before they read their source. */
  readonly block: (filter?: CallFilter) => Effect.Effect<Block>
  /** Removes all failures, and releases all blocks. */
  readonly clear: Effect.Effect<void>
  /** Returns how often a method was called; all methods when absent. */
  readonly countCalls: (method?: Method) => Effect.Effect<number>
}

interface Failure {
  readonly filter: CallFilter
  readonly reason: Reason
  timesLeft: number
}

interface ActiveBlock extends Block {
  readonly filter: CallFilter
  /** Waits until the block is released. */
  readonly pass: Effect.Effect<void>
}

const matches = ({ method, name: hasName }: CallFilter, called: Method, name: string): boolean =>
  (method === undefined || method === called) && (hasName === undefined || hasName(name))

/** Returns the faults, and the effect that a target runs before each call. */
export const make = (): {
  readonly faults: MirrorFaults
  readonly beforeCall: (method: Method, name: string) => Effect.Effect<void, MirrorTargetError>
} => {
  let failures: Array<Failure> = []
  let blocks: Array<ActiveBlock> = []
  const counts = new Map<Method, number>()

  const makeBlock = (filter: CallFilter): ActiveBlock => {
    const [reached, released] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
    const block: ActiveBlock = {
      filter,
      pass: Effect.andThen(reached.open, released.await),
      reached: reached.await,
      release: Effect.suspend(() => {
        blocks = blocks.filter((other) => other !== block)
        return released.open
      })
    }
    return block
  }

  const beforeCall = (method: Method, name: string) =>
    Effect.suspend(() => {
      counts.set(method, (counts.get(method) ?? 0) + 1)
      const failure = failures.find(({ filter, timesLeft }) => timesLeft > 0 && matches(filter, method, name))
      if (failure !== undefined) {
        failure.timesLeft--
        const detail = "A fault was injected."
        return Effect.fail(new MirrorTargetError({ reason: failure.reason, operation: method, detail }))
      }
      const matching = blocks.filter(({ filter }) => matches(filter, method, name))
      return Effect.forEach(matching, ({ pass }) => pass, { discard: true })
    })

  const faults: MirrorFaults = {
    failNext: (times, reason, filter = {}) =>
      Effect.sync(() => void failures.push({ filter, reason, timesLeft: times })),
    block: (filter = {}) =>
      Effect.sync(() => {
        const block = makeBlock(filter)
        blocks.push(block)
        return block
      }),
    clear: Effect.suspend(() => {
      failures = []
      return Effect.forEach(blocks, ({ release }) => release, { discard: true })
    }),
    countCalls: (method) =>
      Effect.sync(() =>
        method === undefined ? [...counts.values()].reduce((sum, count) => sum + count, 0) : (counts.get(method) ?? 0)
      )
  }
  return { faults, beforeCall }
}
