/**
 * Sends requests by Node's HTTP client.
 *
 * The requests of Google's SDK are not used. Its uploads never cancel a session, and an upload that waits for a retry
 * continues after its stream was destroyed. It sends the token to whatever address the service names for a session.
 * What it sends in one request has no checksum, so that damaged bytes are visible until the SDK removes the object,
 * which may then be another writer's. For everything else the SDK uses a client that accepts no agents, so that users'
 * addresses could not be guarded, and that follows redirects and the environment's proxy by itself.
 */
import * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import { property } from "@holdfast/outbound/Property"
import type { RequestLimits } from "@holdfast/outbound/RequestOptions"
import type { RequestLine } from "@holdfast/outbound/RequestRules"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Https from "node:https"
import { ErrorResponse, Timeout } from "../GcsFailure.ts"

/** The connections for requests, and their timeouts in milliseconds. */
export interface Transport extends Pick<RequestLimits, "connectTimeout" | "idleTimeout"> {
  readonly agents: GuardedAgents.Agents
}

const isContent = ({ path }: RequestLine): boolean => /[?&]alt=media(?:&|$)/.test(path)

/** Makes a transport to the addresses that the policy permits. Its connections are closed with the scope. */
export const scoped = (
  policy: GuardedAgents.Policy,
  { connectTimeout, idleTimeout, maxConnections, requestTimeout }: RequestLimits
): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.map(GuardedAgents.scoped(policy, { maxSockets: maxConnections }, { isContent, requestTimeout }), (agents) => ({
    agents,
    connectTimeout,
    idleTimeout
  }))

/** A request to any address. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The body in consecutive chunks. Empty when absent. */
  readonly body?: ReadonlyArray<Uint8Array> | undefined
}

/**
 * Makes a request. Resolves to the head of its response. A redirect is a response like any other. The signal aborts
 * both.
 */
export const send = (
  { agents, connectTimeout, idleTimeout }: Transport,
  { body = [], headers, method, url }: Request,
  signal: AbortSignal
): Promise<Http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const withLength = method === "GET" || method === "DELETE" ? headers : { ...headers, "content-length": length }
    const isSecure = url.protocol === "https:"
    const options = { method, headers: withLength, signal, timeout: idleTimeout }
    const request = isSecure
      ? Https.request(url, { ...options, agent: agents.https })
      : Http.request(url, { ...options, agent: agents.http })
    request.on("response", resolve)
    request.on("error", reject)
    request.on("timeout", () => request.destroy(new Timeout("the connection transferred nothing for too long")))
    request.on("socket", (socket) => {
      if (!socket.connecting) return
      const timer = setTimeout(
        () => request.destroy(new Timeout("the connection did not open in time")),
        connectTimeout
      )
      const clear = () => clearTimeout(timer)
      socket.once(isSecure ? "secureConnect" : "connect", clear)
      socket.once("close", clear)
    })
    for (const chunk of body) request.write(chunk)
    request.end()
  })

/** Reads the whole body of a response that is not an object. The agents bound it. */
export const readText = async (response: Http.IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Parses JSON; undefined for any other text. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the error of a response: JSON, or plain text where an object's bytes were requested. */
export const readError = async (response: Http.IncomingMessage): Promise<ErrorResponse> => {
  const status = response.statusCode ?? 0
  const body = await readText(response)
  const error = property(parseJson(body), "error")
  const message = property(error, "message")
  const errors = property(error, "errors")
  const reason = property(Array.isArray(errors) ? errors[0] : undefined, "reason")
  const plain = body.startsWith("{") || body.startsWith("<") || body === "" ? (response.statusMessage ?? "") : body
  return new ErrorResponse(
    status,
    typeof reason === "string" ? reason : "",
    typeof message === "string" ? message : plain
  )
}
