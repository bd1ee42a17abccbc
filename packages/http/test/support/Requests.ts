/**
 * HTTP requests to the API, by `fetch`.
 */

export interface RequestOptions {
  /** The key, sent as `X-Api-Key`. Absent: the default key; null: none. */
  readonly key?: string | null
  /** A value that is sent as JSON. */
  readonly json?: unknown
  /** A body that is sent as it is. Its type comes from the body or from `headers`. */
  readonly body?: NonNullable<RequestInit["body"]>
  readonly headers?: Readonly<Record<string, string>>
  /** Query parameters; an array repeats its name. */
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
}

type Send = (path: string, options?: RequestOptions) => Promise<Response>

export interface Requests {
  /** URL of the API: `…/api/v1`. */
  readonly baseUrl: string
  /** Sends a request. `path` is a path below the base URL or an absolute URL. Redirects are not followed. */
  readonly request: (method: string, path: string, options?: RequestOptions) => Promise<Response>
  readonly get: Send
  readonly head: Send
  readonly post: Send
  readonly patch: Send
  readonly delete: Send
}

const urlOf = (baseUrl: string, path: string, query: RequestOptions["query"] = {}): URL => {
  const url = new URL(path.startsWith("/") ? baseUrl + path : path)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) url.searchParams.append(name, one)
  }
  return url
}

/** Makes requests with a default key. */
export const make = (baseUrl: string, defaultKey: string): Requests => {
  const request: Requests["request"] = (method, path, options = {}) => {
    const { body, json, key = defaultKey } = options
    const headers = new Headers(options.headers)
    if (key !== null) headers.set("x-api-key", key)
    if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json")
    const sent = json === undefined ? body : JSON.stringify(json)
    return fetch(urlOf(baseUrl, path, options.query), {
      method,
      headers,
      redirect: "manual",
      ...(sent === undefined ? undefined : { body: sent }),
      ...(sent instanceof ReadableStream ? { duplex: "half" } : undefined)
    })
  }
  return {
    baseUrl,
    request,
    get: (path, options) => request("GET", path, options),
    head: (path, options) => request("HEAD", path, options),
    post: (path, options) => request("POST", path, options),
    patch: (path, options) => request("PATCH", path, options),
    delete: (path, options) => request("DELETE", path, options)
  }
}
