/**
 * What a test does to a target in memory while it is used: makes it fail or wait, and counts.
 */
import { type Reason, MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export type Method = "check" | "write" | "describe" | "remove" | "stat" | "list"

/** Which calls; all when absent. */
export interface Which {
  readonly method?: Method
  /** For `check` and `list` the empty text. */
  readonly name?: (name: string) => boolean
}

interface Block {
  /** Waits until a call waits here. */
  readonly reached: Effect.Effect<void>
  /** Lets those that wait go on, and others not wait any more. */
  readonly release: Effect.Effect<void>
}

export interface MirrorFaults {
  /** Makes the next `times` calls fail, before they do anything. What is made later comes after. */
  readonly failNext: (times: number, reason: Reason, which?: Which) => Effect.Effect<void>
  /** Lets calls begin and then wait: those of `write` before they read their source. */
  readonly block: (which?: Which) => Effect.Effect<Block>
  /** Forgets all failures that have not happened, and releases all blocks. */
  readonly clear: Effect.Effect<void>
  /** How often a method was called, or all of them. */
  readonly calls: (method?: Method) => Effect.Effect<number>
}

interface Failure {
  readonly which: Which
  readonly reason: Reason
  left: number
}

interface Blocking extends Block {
  readonly which: Which
  readonly pass: Effect.Effect<void>
}

const meets = ({ method, name: isNamed }: Which, called: Method, name: string): boolean =>
  (method === undefined || method === called) && (isNamed === undefined || isNamed(name))

/** The faults, and what every call of a target runs first. */
export const make = (): {
  readonly faults: MirrorFaults
  readonly before: (method: Method, name: string) => Effect.Effect<void, MirrorTargetError>
} => {
  let failures: Array<Failure> = []
  let blocks: Array<Blocking> = []
  const counts = new Map<Method, number>()

  const block = (which: Which): Blocking => {
    const [arrived, opened] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
    const blocking: Blocking = {
      which,
      pass: Effect.andThen(arrived.open, opened.await),
      reached: arrived.await,
      release: Effect.suspend(() => {
        blocks = blocks.filter((other) => other !== blocking)
        return opened.open
      })
    }
    return blocking
  }

  const before = (method: Method, name: string) =>
    Effect.suspend(() => {
      counts.set(method, (counts.get(method) ?? 0) + 1)
      const failure = failures.find(({ left, which }) => left > 0 && meets(which, method, name))
      if (failure !== undefined) {
        failure.left--
        const detail = "A fault was injected."
        return Effect.fail(new MirrorTargetError({ reason: failure.reason, operation: method, detail }))
      }
      const waits = blocks.filter(({ which }) => meets(which, method, name))
      return Effect.forEach(waits, ({ pass }) => pass, { discard: true })
    })

  const faults: MirrorFaults = {
    failNext: (times, reason, which = {}) => Effect.sync(() => void failures.push({ which, reason, left: times })),
    block: (which = {}) =>
      Effect.sync(() => {
        const blocking = block(which)
        blocks.push(blocking)
        return blocking
      }),
    clear: Effect.suspend(() => {
      failures = []
      return Effect.forEach(blocks, ({ release }) => release, { discard: true })
    }),
    calls: (method) =>
      Effect.sync(() =>
        method === undefined ? [...counts.values()].reduce((sum, count) => sum + count, 0) : (counts.get(method) ?? 0)
      )
  }
  return { faults, before }
}
