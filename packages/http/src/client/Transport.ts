/**
 * From a call to its answer, by `fetch`.
 */
import * as ClientError from "./ClientError.ts"

export interface ClientOptions {
  /** Where the service is, without `/api/v1`: `https://files.example.com`, `https://example.com/files`. */
  readonly url: string | URL
  /** An API key, or what gives one for each call; without it the host's own session must do. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>) | undefined
  /** Takes the place of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** What every method takes besides its input. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

type Parameter = string | number | boolean | ReadonlyArray<string> | undefined

export interface Call extends CallOptions {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below `/api/v1`, not yet encoded. */
  readonly path: ReadonlyArray<string>
  readonly query?: { readonly [name: string]: Parameter } | undefined
  readonly headers?: { readonly [name: string]: string | undefined } | undefined
  /** A body that is sent as JSON. */
  readonly json?: object | undefined
  readonly body?: NonNullable<RequestInit["body"]> | undefined
}

export interface Transport {
  /** The options that it was made with. */
  readonly options: ClientOptions
  readonly url: (path: ReadonlyArray<string>, query?: Call["query"]) => string
  /** The headers of a call, the key among them. */
  readonly headers: (given?: Call["headers"]) => Promise<Headers>
  /** The answer, when it is one of success. */
  readonly send: (call: Call) => Promise<Response>
  /** The JSON of the answer, of the shape that the contract says. */
  readonly json: <A>(call: Call) => Promise<A>
  readonly none: (call: Call) => Promise<void>
}

const encodeSegment = (segment: string): string => {
  // A URL would lose these, and lead to another operation.
  if (/^\.{0,2}$/.test(segment)) throw new ClientError.HoldfastError("invalid_request", `"${segment}" is no id.`)
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

  const headers: Transport["headers"] = async (given = {}) => {
    const all = new Headers()
    for (const [name, value] of Object.entries(given)) if (value !== undefined) all.set(name, value)
    const { apiKey } = options
    const key = typeof apiKey === "function" ? await apiKey() : apiKey
    if (key !== undefined) all.set("authorization", `Bearer ${key}`)
    return all
  }

  const answerTo = async ({ body, headers: given, json, method, path, query, signal }: Call): Promise<Response> => {
    const all = await headers(json === undefined ? given : { ...given, "content-type": "application/json" })
    const sent = json === undefined ? body : JSON.stringify(json)
    const fetch = options.fetch ?? globalThis.fetch
    return fetch(url(path, query), {
      method,
      headers: all,
      ...(signal === undefined ? undefined : { signal }),
      ...(sent === undefined ? undefined : { body: sent }),
      ...(sent instanceof ReadableStream ? { duplex: "half" } : undefined)
    })
  }

  const attempt = async <A>(call: Call, run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      throw ClientError.fromFailure(cause, call.signal)
    }
  }

  const send: Transport["send"] = (call) =>
    attempt(call, async () => {
      const answer = await answerTo(call)
      if (answer.ok) return answer
      throw ClientError.fromAnswer(answer.status, await answer.text(), (name) => answer.headers.get(name))
    })

  const json = async <A>(call: Call): Promise<A> => {
    const answer = await send(call)
    return attempt(call, async () => (await answer.json()) as A)
  }

  return { options, url, headers, send, json, none: async (call) => void (await send(call)) }
}
