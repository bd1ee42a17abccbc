/**
 * Requests over Node's HTTP client.
 *
 * The SDK's own requests are not used. Its uploads never cancel a session, and one that waits to be repeated goes on after
 * its stream was destroyed; the token goes to whatever address the service names for a session; and what goes in one
 * request goes without a checksum, so that damaged bytes are visible until the SDK removes the object, whichever
 * stands then. For all else it has a client that takes no agents, so that addresses of users could not be guarded, and that
 * follows redirects and the environment's proxy by itself.
 */
import type * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import * as Http from "node:http"
import * as Https from "node:https"
import { Refusal, Timeout } from "./GcsFailure.ts"

export interface Transport {
  readonly agents: GuardedAgents.Agents
  readonly connectMillis: number
  readonly idleMillis: number
}

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Pieces of the body one after the other; none when absent. */
  readonly body?: ReadonlyArray<Uint8Array> | undefined
}

/** Makes a request, and gives the head of its answer. A redirect is an answer like any other. The signal ends both. */
export const send = (
  { agents, connectMillis, idleMillis }: Transport,
  { body = [], headers, method, url }: Request,
  signal: AbortSignal
): Promise<Http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const withLength = method === "GET" || method === "DELETE" ? headers : { ...headers, "content-length": length }
    const isSecure = url.protocol === "https:"
    const options = { method, headers: withLength, signal, timeout: idleMillis }
    const request = isSecure
      ? Https.request(url, { ...options, agent: agents.https })
      : Http.request(url, { ...options, agent: agents.http })
    request.on("response", resolve)
    request.on("error", reject)
    request.on("timeout", () => request.destroy(new Timeout("nothing moved over the connection")))
    request.on("socket", (socket) => {
      if (!socket.connecting) return
      const timer = setTimeout(() => request.destroy(new Timeout("the connection did not open")), connectMillis)
      const clear = () => clearTimeout(timer)
      socket.once(isSecure ? "secureConnect" : "connect", clear)
      socket.once("close", clear)
    })
    for (const piece of body) request.write(piece)
    request.end()
  })

/** A page of a list has about a tenth of it. */
const maxBytes = 16 * 1024 * 1024

/** The whole body of an answer that is no object's bytes. */
export const text = async (answer: Http.IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of answer) {
    const bytes: Buffer = chunk
    size += bytes.byteLength
    // Leaving the loop destroys the answer.
    if (size > maxBytes) throw new Error("the service sent an answer without an end")
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}

/** A text as JSON; undefined when it is none. */
export const json = (source: string): unknown => {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

export const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** What an answer that is no success says: in JSON, or in plain words where bytes were asked for. */
export const refusal = async (answer: Http.IncomingMessage): Promise<Refusal> => {
  const status = answer.statusCode ?? 0
  const body = await text(answer)
  const error = property(json(body), "error")
  const message = property(error, "message")
  const errors = property(error, "errors")
  const reason = property(Array.isArray(errors) ? errors[0] : undefined, "reason")
  const plain = body.startsWith("{") || body.startsWith("<") || body === "" ? (answer.statusMessage ?? "") : body
  return new Refusal(status, typeof reason === "string" ? reason : "", typeof message === "string" ? message : plain)
}
