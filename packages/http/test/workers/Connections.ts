/**
 * Clients with one connection each, so that all requests of a client go to one worker process.
 */
import * as Http from "node:http"

export interface Answer {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

export interface Connection {
  readonly send: (
    method: string,
    path: string,
    options?: {
      readonly key?: string
      readonly body?: Uint8Array | string
      readonly type?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  ) => Promise<Answer>
  readonly close: () => void
}

/** Makes a client with one connection that stays open. `path` in requests is below the URL of the service. */
export const make = (url: string, key: string): Connection => {
  const agent = new Http.Agent({ keepAlive: true, maxSockets: 1 })
  return {
    send: async (method, path, options = {}) => {
      const { body, type = "application/octet-stream" } = options
      const request = Http.request(url + path, {
        method,
        agent,
        headers: {
          "x-api-key": options.key ?? key,
          ...(body === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(body) }),
          ...options.headers
        }
      })
      const response = await new Promise<Http.IncomingMessage>((resolve, reject) => {
        request.once("response", resolve)
        request.once("error", reject)
        request.end(body)
      })
      const received = Buffer.concat(await response.toArray())
      const { headers, statusCode = 0 } = response
      return { status: statusCode, headers, body: received, text: received.toString() }
    },
    close: () => agent.destroy()
  }
}
