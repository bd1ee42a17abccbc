/**
 * Bounds the requests that a client sends over one connection before it has the answers to earlier ones (RFC 9112, section 9.3.2). Node reads
 * and passes on as many as a client sends, also while their handlers wait: one connection took 2 GB in ten seconds.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Requests of one connection that are started at once. Their answers are kept in memory until those before them are sent. */
const maxRunning = 2

/** Requests of one connection that wait, at most. */
const maxQueued = 64

/** Requests that are ignored until the answers before them are sent, before the connection is closed at once. */
const maxIgnored = 1000

export interface Pipelining {
  /**
   * Whether a request came after too many others of its connection, so that it is neither started nor answered. To be asked once, before
   * anything else is done for the request. Closes the connection after very many of them.
   */
  readonly ignores: (response: ServerResponse) => boolean
  /**
   * Starts a request that is not ignored, at once or after earlier requests of its connection were answered. Of very many only the first ones start, and the
   * connection closes after their answers.
   */
  readonly start: (response: ServerResponse, run: () => void) => void
  /** Returns the responses of a connection whose requests were started and that are not complete, in the order of the requests. */
  readonly runningOn: (socket: Socket) => ReadonlyArray<ServerResponse>
}

/** The requests of one connection. It is changed by them, and refers to none that is complete. */
interface Pipeline {
  readonly running: Array<ServerResponse>
  /** Starts the requests that wait for those. */
  readonly queue: Array<() => void>
  /** Whether the connection closes after the answers to the requests in the queue. */
  isFull: boolean
  /** Requests that came then, and are not answered. */
  ignored: number
}

const none: ReadonlyArray<ServerResponse> = []

/** @param close Closes a connection whose client goes on to send requests. */
export const make = (close = (socket: Socket): void => void socket.destroy()): Pipelining => {
  const pipelines = new WeakMap<Socket, Pipeline>()

  const find = (socket: Socket): Pipeline => {
    const found = pipelines.get(socket)
    if (found !== undefined) return found
    const pipeline: Pipeline = { running: [], queue: [], isFull: false, ignored: 0 }
    pipelines.set(socket, pipeline)
    socket.once("close", () => (pipeline.queue.length = 0))
    return pipeline
  }

  return {
    ignores: ({ req: { socket } }) => {
      const pipeline = pipelines.get(socket)
      if (pipeline?.isFull !== true) return false
      if (++pipeline.ignored === maxIgnored) close(socket)
      return true
    },
    start: (response, run) => {
      const { httpVersionMajor, socket } = response.req
      // HTTP/2 has windows, and a limit of streams.
      if (httpVersionMajor > 1) return run()
      const pipeline = find(socket)
      const { queue, running } = pipeline
      const start = (): void => {
        running.push(response)
        response.once("close", () => {
          running.splice(running.indexOf(response), 1)
          queue.shift()?.()
        })
        run()
      }
      if (running.length < maxRunning && queue.length === 0) return start()
      queue.push(start)
      if (queue.length < maxQueued) return
      pipeline.isFull = true
      response.shouldKeepAlive = false
    },
    runningOn: (socket) => pipelines.get(socket)?.running ?? none
  }
}
