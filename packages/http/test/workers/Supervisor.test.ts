/**
 * What the supervisor does when the system starts no process for it, which a test cannot make the system do.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import cluster, { type Worker } from "node:cluster"
import { EventEmitter } from "node:events"
import { expect, it, onTestFinished, vi } from "vitest"
import * as Supervisor from "../../src/server/startup/Supervisor.ts"

/** A worker of `node:cluster`, of which no process has started when `pid` is undefined. */
const makeWorker = (pid: number | undefined) => {
  const child = Object.assign(new EventEmitter(), { pid, kill: () => true, send: () => true })
  return Object.assign(new EventEmitter(), { process: child, isConnected: () => false })
}

it("worker process ends, the system cannot start the next one → another attempt", { timeout: 20_000 }, async () => {
  const workers = [makeWorker(1), makeWorker(undefined), makeWorker(3)]
  const started: Array<EventEmitter> = []
  const fork = vi.spyOn(cluster, "fork").mockImplementation(() => {
    const worker = workers[started.length] ?? makeWorker(undefined)
    started.push(worker)
    return worker as unknown as Worker
  })
  onTestFinished(() => fork.mockRestore())
  const running = Effect.runFork(Supervisor.run({ count: 1, stopTimeout: Duration.millis(10) }))
  const untilStarted = (count: number) =>
    vi.waitFor(() => expect(started.length).toBe(count), { timeout: 10_000, interval: 20 })
  await untilStarted(1)
  workers[0]?.emit("message", { type: "listening" })
  workers[0]?.emit("exit", null, "SIGKILL")
  await untilStarted(2)
  workers[1]?.emit("error", Object.assign(new Error("spawn EAGAIN"), { code: "EAGAIN" }))
  await untilStarted(3)
  const stopping = Effect.runPromise(Fiber.interrupt(running))
  workers[2]?.emit("exit", 0, null)
  await stopping
})
