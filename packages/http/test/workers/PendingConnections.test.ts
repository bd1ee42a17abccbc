import type { Worker } from "node:cluster"
import { EventEmitter } from "node:events"
import { expect, it } from "vitest"
import * as PendingConnections from "../../src/server/startup/PendingConnections.ts"

/** A process as `node:cluster` uses it, to which connections are sent. */
const makeProcess = () => {
  const child = Object.assign(new EventEmitter(), { send: (..._sent: ReadonlyArray<unknown>) => true })
  PendingConnections.closeWith({ process: child } as unknown as Worker)
  return child
}

const makeConnection = () => {
  const connection = { isClosed: false, close: () => void (connection.isClosed = true) }
  return connection
}

it("connections of a process that ends: no answer → closed, refused → left to another process", () => {
  const child = makeProcess()
  const [refused, unanswered] = [makeConnection(), makeConnection()]
  child.send({ cmd: "NODE_CLUSTER", act: "newconn", key: "a", seq: 1 }, refused)
  child.send({ cmd: "NODE_CLUSTER", act: "newconn", key: "b", seq: 2 }, unanswered)
  child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: 1, accepted: false })
  child.emit("exit")
  expect([refused.isClosed, unanswered.isClosed]).toEqual([false, true])
})
