/**
 * A proxy in front of a service whose line is cut, and which is killed, after so many bytes of contents.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, request as connect, type ServerResponse } from "node:http"
import { onTestFinished } from "vitest"

/** What happens after so many bytes of contents have passed. */
export interface Fault {
  readonly kind: "cut" | "kill"
  readonly after: number
}

export interface CutLine {
  /** URL without a trailing slash. */
  readonly url: string
  /** Bytes of contents that have passed, those that were sent again included. */
  readonly passed: () => number
  /** For each fault that has happened: its kind, and how many bytes the client has sent again after it. */
  readonly faults: () => ReadonlyArray<{ readonly kind: Fault["kind"]; readonly again: number }>
}

/** Distributes faults over a content, the kills among the cuts. */
export const distribute = (size: number, cuts: number, kills: number): ReadonlyArray<Fault> => {
  const count = cuts + kills
  return Array.from({ length: count }, (_, index) => ({
    kind: Math.floor(((index + 1) * kills) / count) > Math.floor((index * kills) / count) ? "kill" : "cut",
    after: Math.floor((size * (index + 1)) / (count + 1))
  }))
}

interface Options {
  /** Returns the URL of the service; undefined while it does not run. */
  readonly target: () => string | undefined
  readonly faults: ReadonlyArray<Fault>
  /** Kills the service and starts it again. */
  readonly kill: () => Promise<void>
  /** Answers a request itself, if it is not for the service. */
  readonly respond: (request: IncomingMessage, response: ServerResponse) => boolean
}

export const start = async ({ faults, kill, respond, target }: Options): Promise<CutLine> => {
  const pending = [...faults]
  const happened: Array<{ readonly kind: Fault["kind"]; again: number }> = []
  let passed = 0
  /** Where the bytes end that have passed at least once. */
  let reached = 0

  const server = createServer((request, response) => {
    if (respond(request, response)) return
    const url = target()
    if (url === undefined) return void request.destroy()
    const { headers, method = "", url: path = "" } = request
    let offset = Number(headers["upload-offset"] ?? 0)
    const { hostname, port } = new URL(url)
    const upstream = connect({ hostname, port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    const cut = () => {
      upstream.destroy()
      request.destroy()
      response.destroy()
    }
    upstream.on("error", cut)
    response.on("close", () => upstream.destroy())
    request.on("error", () => upstream.destroy())
    request.on("end", () => upstream.end())
    request.on("data", (chunk: Buffer) => {
      if (upstream.destroyed) return
      if (!upstream.write(chunk)) {
        request.pause()
        upstream.once("drain", () => request.resume())
      }
      if (method !== "PATCH") return
      const last = happened.at(-1)
      // Chromium repeats a request whose connection was cut, at its former offset, before the client learns of the cut.
      if (last !== undefined) last.again += Math.max(0, Math.min(reached, offset + chunk.length) - offset)
      passed += chunk.length
      offset += chunk.length
      reached = Math.max(reached, offset)
      const next = pending[0]
      if (next === undefined || reached < next.after) return
      pending.shift()
      happened.push({ kind: next.kind, again: 0 })
      if (next.kind === "kill") void kill()
      else cut()
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = Object(server.address()) as { readonly port: number }
  return { url: `http://127.0.0.1:${port}`, passed: () => passed, faults: () => happened }
}
