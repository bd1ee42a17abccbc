/**
 * The process that makes load: it takes one job after the other from its parent, and ends with it.
 */
import { randomBytes } from "node:crypto"
import * as Schema from "effect/Schema"
import * as Connection from "./Connection.ts"
import { type Answer, Job, type Outcome, type Outgoing, sequence } from "./LoadJob.ts"

/** The bytes of every body. Random, so that a parser that looks for boundaries meets what it would in real files. */
const constant = randomBytes(256 * 1024)

/** Up to here a request goes out in one piece. */
const smallBody = 64 * 1024

interface Prepared {
  readonly first: Buffer
  readonly body: Connection.Body | undefined
  /** Where the growing number stands in `first`, or -1. */
  readonly at: number
}

const prepare = ({ bytes, head, prefix, suffix }: Outgoing): Prepared => {
  const start = Buffer.from(head + prefix)
  const end = Buffer.from(suffix)
  const isSmall = bytes <= smallBody
  const first = isSmall ? Buffer.concat([start, constant.subarray(0, bytes), end]) : start
  return { first, body: isSmall ? undefined : { chunk: constant, bytes, suffix: end }, at: start.indexOf(sequence) }
}

const quantile = (sorted: Float64Array, share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

const run = async (job: Job): Promise<Outcome> => {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)))
  const times = new Float64Array(job.count)
  let next = 0
  let bytes = 0

  const drive = (connection: Connection.Connection, { at, body, first }: Prepared): Promise<void> =>
    new Promise((resolve, reject) => {
      const again = (): void => {
        if (next >= job.count) return resolve()
        const number = next++
        if (at >= 0) first.write(String(job.firstNumber + number).padStart(sequence.length, "0"), at, "latin1")
        const start = performance.now()
        connection.exchange(first, body, (reply) => {
          if (reply instanceof Error) return reject(reply)
          if (reply.status !== job.status) return reject(new Error(`Not ${job.status}: ${reply.text.slice(0, 1000)}`))
          times[number] = performance.now() - start
          bytes += reply.bytes
          again()
        })
      }
      again()
    })

  try {
    const start = performance.now()
    await Promise.all(
      connections.map((connection, index) => {
        const request = job.requests[index % job.requests.length]
        return request === undefined ? undefined : drive(connection, prepare(request))
      })
    )
    const wallMs = performance.now() - start
    times.sort()
    return { requests: next, bytes, wallMs, medianMs: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
  } finally {
    for (const connection of connections) connection.close()
  }
}

const tell = (answer: Answer): void => void process.send?.(answer)
const decodeJob = Schema.decodeUnknownPromise(Job)

process.on("message", (message) => {
  decodeJob(message)
    .then(run)
    .then(
      (outcome) => tell({ outcome }),
      (error: unknown) => tell({ error: error instanceof Error ? error.message : String(error) })
    )
})
process.on("disconnect", () => process.exit())
