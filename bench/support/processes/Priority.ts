/**
 * The priority of clients that attack a service on the same machine. Clients on other machines take no processor time of the
 * service; with the lowest priority, those here take only what the service leaves.
 */
import { constants, getPriority, setPriority } from "node:os"
import * as Effect from "effect/Effect"

/** Only a process that may raise its priority can lower it for a while. */
const canRaise = (): boolean => {
  const before = getPriority()
  try {
    setPriority(before - 1)
    setPriority(before)
    return true
  } catch {
    return false
  }
}

const isSupported = canRaise()

/** Gives a process the lowest priority, where the priority of this process can be lowered too. */
export const lower = (pid: number): void => {
  if (isSupported) setPriority(pid, constants.priority.PRIORITY_LOW)
}

/** Gives a process that this one has started the priority of a service. */
export const restore = (pid: number): void => {
  if (isSupported) setPriority(pid, constants.priority.PRIORITY_NORMAL)
}

/** Runs the work of clients in this process at the lowest priority, where the system permits to raise it again afterwards. */
export const lowered = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => lower(process.pid)),
    () => work,
    () => Effect.sync(() => restore(process.pid))
  )
