/**
 * Sends requests by `fetch`, and reads their responses.
 */
import type { CallOptions } from "@holdfast/core/promises/Operations"
import * as HoldfastError from "./HoldfastError.ts"

export interface ClientOptions {
  /** The URL of the service, without `/api/v1`: `https://files.example.com`, `https://example.com/files`. */
  readonly url: string | URL
  /**
   * An API key, or a function that returns one for each request. Without a key the service has to identify the caller by
   * other means, such as a session cookie of the host.
   */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>) | undefined
  /** Replaces the `fetch` of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

type QueryValue = string | number | boolean | ReadonlyArray<string> | undefined

export interface ApiRequest extends CallOptions {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** The segments of the path below `/api/v1`, not percent-encoded. */
  readonly path: ReadonlyArray<string>
  readonly query?: { readonly [name: string]: QueryValue } | undefined
  readonly headers?: { readonly [name: string]: string | undefined } | undefined
  /** A body that is sent as JSON. */
  readonly json?: object | undefined
  readonly body?: NonNullable<RequestInit["body"]> | undefined
}

export interface Transport {
  /** The options of the client. */
  readonly options: ClientOptions
  /** Returns the URL of a path. */
  readonly url: (path: ReadonlyArray<string>, query?: ApiRequest["query"]) => string
  /** Returns the headers of a request, the API key included. */
  readonly headers: (given?: ApiRequest["headers"]) => Promise<Headers>
  /** Returns a successful response. Rejects with `HoldfastError` otherwise. */
  readonly send: (request: ApiRequest) => Promise<Response>
  /** Returns the JSON of a successful response, unchecked: the contract says what `A` is. */
  readonly json: <A>(request: ApiRequest) => Promise<A>
  /** Sends a request whose response has no body. */
  readonly empty: (request: ApiRequest) => Promise<void>
}

const encodeSegment = (segment: string): string => {
  // In a URL these segments are removed, so that the path would be that of another operation.
  if (/^\.{0,2}$/.test(segment)) {
    throw new HoldfastError.HoldfastError("invalid_request", `"${segment}" is not an id.`)
  }
  return encodeURIComponent(segment)
}

export const make = (options: ClientOptions): Transport => {
  const base = `${String(options.url).replace(/\/+$/, "")}/api/v1`

  const url: Transport["url"] = (path, query = {}) => {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue
      for (const one of [value].flat()) parameters.append(name, String(one))
    }
    const search = parameters.size === 0 ? "" : `?${parameters.toString()}`
    return `${base}/${path.map(encodeSegment).join("/")}${search}`
  }

  /** Refuses a URL without a scheme, which `fetch` reports as a lost connection. Only a page, or a `fetch` of the program, may have one. */
  const checkUrl = (): void => {
    if (options.fetch !== undefined || "location" in globalThis || /^https?:/i.test(base)) return
    throw new HoldfastError.HoldfastError(
      "invalid_request",
      `The url must be an http or https URL, such as "http://127.0.0.1:8080", and is "${String(options.url)}".`
    )
  }

  const headers: Transport["headers"] = async (given = {}) => {
    checkUrl()
    const all = new Headers()
    for (const [name, value] of Object.entries(given)) if (value !== undefined) all.set(name, value)
    const { apiKey } = options
    const key = typeof apiKey === "function" ? await apiKey() : apiKey
    if (key !== undefined) all.set("authorization", `Bearer ${key}`)
    return all
  }

  const fetchResponse = async (request: ApiRequest): Promise<Response> => {
    const { headers: given, json, method, path, query, signal } = request
    const all = await headers(json === undefined ? given : { ...given, "content-type": "application/json" })
    const body = json === undefined ? request.body : JSON.stringify(json)
    const fetch = options.fetch ?? globalThis.fetch
    return fetch(url(path, query), {
      method,
      headers: all,
      ...(signal === undefined ? undefined : { signal }),
      ...(body === undefined ? undefined : { body }),
      ...(body instanceof ReadableStream ? { duplex: "half" } : undefined)
    })
  }

  const attempt = async <A>(request: ApiRequest, run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      throw HoldfastError.fromFailure(cause, request.signal)
    }
  }

  const send: Transport["send"] = (request) =>
    attempt(request, async () => {
      const response = await fetchResponse(request)
      if (response.ok) return response
      throw HoldfastError.fromResponse(response.status, await response.text(), (name) => response.headers.get(name))
    })

  const json = async <A>(request: ApiRequest): Promise<A> => {
    const response = await send(request)
    return attempt(request, async () => (await response.json()) as A)
  }

  return { options, url, headers, send, json, empty: async (request) => void (await send(request)) }
}
