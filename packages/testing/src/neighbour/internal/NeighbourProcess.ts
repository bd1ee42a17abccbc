/**
 * The process that sends requests at a steady rate: each address gets one request per interval, over connections of its own.
 *
 * A request is due at its time whether or not the one before was answered, and its wait is measured from then. So a server that
 * answers nothing for a second makes a hundred requests wait, not one.
 */
import { Agent, get } from "node:http"
import type { Address, Command, Report, Start } from "./Messages.ts"
import type { Wait } from "../Waits.ts"

/**
 * Connections to each address, as browsers open to one server. With a single one, every request would wait for the one before:
 * at an answer time of the interval or more, the waits would grow with the duration of the observation. All are opened by the
 * first requests: a connection that is opened later waits until the server has accepted those before it.
 */
const connections = 6

const report = (message: Report): void => void process.send?.(message)

let origin = 0
let isStopping = false

const now = (): number => performance.now() - origin

/** Sends one request. Calls back once: with the reason of its failure, or without one when the body was received. */
const send = ({ headers, url }: Address, agent: Agent, timeoutMs: number, done: (failure?: string) => void): void => {
  let failure: string | undefined
  const request = get(url, { agent, headers }, (response) => {
    let text = ""
    if (response.statusCode !== 200) failure = String(response.statusCode)
    response.on("data", (chunk: Buffer) => {
      if (failure !== undefined && text.length < 200) text += chunk.toString()
    })
    response.once("end", () => {
      if (failure !== undefined) failure = `${failure} ${text.slice(0, 200)}`
    })
    response.once("error", (error) => (failure ??= error.message))
  })
  request.once("error", (error) => (failure ??= error.message))
  // Begins when the request is due: the agent holds it back while all connections are in use.
  const timer = setTimeout(() => request.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
  request.once("close", () => {
    clearTimeout(timer)
    done(failure)
  })
}

/** Sends requests to one address until `stop`. Resolves when all of them have ended. */
const probe = (address: Address, { intervalMs, timeoutMs }: Start): Promise<ReadonlyArray<Wait>> =>
  new Promise((resolve) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const waits: Array<Wait> = []
    let sent = 0
    const resolveIfDone = (): void => {
      if (!isStopping || waits.length < sent) return
      agent.destroy()
      resolve(waits.toSorted((a, b) => a.dueMs - b.dueMs))
    }
    /** The first requests are due at the same time. */
    const nextDueMs = (): number => Math.max(0, sent + 1 - connections) * intervalMs
    const sendNext = (): void => {
      const dueMs = nextDueMs()
      sent++
      send(address, agent, timeoutMs, (failure) => {
        waits.push({ dueMs, waitMs: now() - dueMs, failure })
        if (waits.length === 1) report({ answered: address.url })
        resolveIfDone()
      })
    }
    const sendDue = (): void => {
      if (isStopping) return resolveIfDone()
      // More than one is due when this process itself got no processor for longer than an interval.
      while (nextDueMs() <= now()) sendNext()
      setTimeout(sendDue, Math.max(0, nextDueMs() - now()))
    }
    sendDue()
  })

const run = async (start: Start): Promise<void> => {
  origin = performance.now()
  report({ waits: await Promise.all(start.addresses.map((address) => probe(address, start))) })
}

process.on("message", (command: Command) => {
  if (command === "now") report({ nowMs: now() })
  else if (command === "stop") isStopping = true
  else void run(command.start)
})
process.on("disconnect", () => process.exit())
