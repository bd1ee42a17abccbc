/**
 * The fibers of a listener that are running.
 *
 * `Fiber.runIn` keeps them in a `Map` of the scope. A `Map` that often changes is often copied, and each old copy refers to the next
 * one. Once V8 has promoted one copy, all later ones survive collections of new objects, with the requests that they refer to.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

export interface RunningFibers<A, E> {
  /** Adds a fiber until it ends. Interrupts it if the scope is closed. */
  readonly add: (fiber: Fiber.Fiber<A, E>) => void
}

interface Entry<A, E> {
  readonly fiber: Fiber.Fiber<A, E>
  index: number
}

/** Makes an empty collection. Closing the scope interrupts its fibers and waits for their ends. */
export const make = Effect.fnUntraced(function* <A, E>(scope: Scope.Scope): Effect.fn.Return<RunningFibers<A, E>> {
  const entries: Array<Entry<A, E>> = []
  let isClosed = false
  const close = Effect.suspend(() => {
    isClosed = true
    return Fiber.interruptAll(entries.map(({ fiber }) => fiber))
  })
  yield* Scope.addFinalizer(scope, close)

  const remove = ({ index }: Entry<A, E>): void => {
    const last = entries.pop()
    if (last === undefined || last.index === index) return
    last.index = index
    entries[index] = last
  }

  return {
    add: (fiber) => {
      if (isClosed) return fiber.interruptUnsafe()
      const entry = { fiber, index: entries.length }
      entries.push(entry)
      fiber.addObserver(() => remove(entry))
    }
  }
})
