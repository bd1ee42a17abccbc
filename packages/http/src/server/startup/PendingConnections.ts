/**
 * The connections on their way to a worker process.
 *
 * `node:cluster` forgets a connection that it has sent to a process which dies before it answers: the connection stays open in the
 * supervisor, and its client waits without end. Closing it makes the client connect again, as those of the other connections of that
 * process do.
 */
import type { Worker } from "node:cluster"
import { hasProperty } from "effect/Predicate"

interface Handle {
  /** Does nothing when the handle is closed. */
  readonly close: () => void
}

const isHandle = (value: unknown): value is Handle => hasProperty(value, "close") && typeof value.close === "function"

/** Closes what a process has not accepted when it ends. */
export const closeWith = (worker: Worker): void => {
  const child = worker.process
  /** The connections without an answer, by the number of their message. */
  const pending = new Map<unknown, Handle>()
  const closeAll = (): void => {
    for (const handle of pending.values()) handle.close()
    pending.clear()
  }
  child.send = new Proxy(child.send.bind(child), {
    apply: (send, self, args: Parameters<typeof child.send>) => {
      const [message, handle] = args
      if (isHandle(handle) && hasProperty(message, "seq")) pending.set(message.seq, handle)
      return Reflect.apply(send, self, args)
    }
  })
  // Another process gets a connection that this one has refused because it stops.
  child.on("internalMessage", (message: unknown) => {
    if (hasProperty(message, "ack")) pending.delete(message.ack)
  })
  child.once("disconnect", closeAll)
  child.once("exit", closeAll)
}
