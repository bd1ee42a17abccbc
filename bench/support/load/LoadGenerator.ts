/**
 * The process that sends requests to a server: it runs one job after the other for its parent.
 */
import { randomBytes } from "node:crypto"
import * as Jobs from "../processes/Jobs.ts"
import * as Connection from "./Connection.ts"
import { type LoadJob, type LoadResult, type Outgoing, protocol, sequence } from "./LoadJob.ts"

/** The bytes of every body. They are random, so that a parser that searches for boundaries works as with real files. */
const constant = randomBytes(256 * 1024)

/** The largest body, in bytes, that is sent in one write with its head. */
const smallBody = 64 * 1024

interface Prepared {
  readonly first: Buffer
  readonly body: Connection.Body | undefined
  /** The position of the sequence number in `first`, or -1. */
  readonly sequenceAt: number
}

const prepare = ({ bytes, head, prefix, suffix }: Outgoing): Prepared => {
  const start = Buffer.from(head + prefix)
  const end = Buffer.from(suffix)
  const isSmall = bytes <= smallBody
  const first = isSmall ? Buffer.concat([start, constant.subarray(0, bytes), end]) : start
  return {
    first,
    body: isSmall ? undefined : { chunk: constant, bytes, suffix: end },
    sequenceAt: start.indexOf(sequence)
  }
}

const quantile = (sorted: Float64Array, share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

const run = async (job: LoadJob): Promise<LoadResult> => {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)))
  const times = new Float64Array(job.count)
  let next = 0
  let bytes = 0

  const { depth = 1, isEqual = false } = job
  const share = isEqual ? Math.ceil(job.count / job.connections) : job.count

  /** Sends requests over one connection, `depth` at a time, until all requests of the job or of its share are sent. */
  const drive = (connection: Connection.Connection, requests: ReadonlyArray<Prepared>): Promise<void> =>
    new Promise((resolve, reject) => {
      let sent = 0
      let inFlight = 0
      const sendNext = (): void => {
        const request = requests[sent % requests.length]
        if (next >= job.count || sent >= share || request === undefined) return inFlight === 0 ? resolve() : undefined
        sent++
        inFlight++
        const { body, sequenceAt } = request
        const number = next++
        // The bytes of a pipelined request may not have been written yet.
        const first = sequenceAt >= 0 && depth > 1 ? Buffer.from(request.first) : request.first
        if (sequenceAt >= 0) {
          first.write(String(job.firstNumber + number).padStart(sequence.length, "0"), sequenceAt, "latin1")
        }
        const start = performance.now()
        connection.send(first, body, (response) => {
          inFlight--
          if (response instanceof Error) return reject(response)
          if (response.status !== job.status) {
            return reject(new Error(`Not ${job.status}: ${response.text.slice(0, 1000)}`))
          }
          times[number] = performance.now() - start
          bytes += response.bytes
          sendNext()
        })
      }
      for (let started = 0; started < depth; started++) sendNext()
    })

  try {
    const before = process.cpuUsage()
    const start = performance.now()
    await Promise.all(
      connections.map((connection, index) => {
        const { connections: amount, requests } = job
        const own = requests.filter((_, at) => at % amount === index % Math.min(amount, requests.length))
        return drive(connection, own.map(prepare))
      })
    )
    const wallMs = performance.now() - start
    const { system, user } = process.cpuUsage(before)
    times.sort()
    return {
      requests: next,
      bytes,
      wallMs,
      cpuMs: (system + user) / 1000,
      medianMs: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99)
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}

Jobs.serve(protocol, run)
