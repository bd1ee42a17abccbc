/**
 * Requests with unknown keys, from several addresses of the loopback network.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Agent, request } from "node:http"
import type { IncomingHttpHeaders } from "node:http"

const crypto = Layer.mergeAll(SecureRandom.layerWebCrypto, Digest.layerWebCrypto)

/** Returns a key in the format of the service, which only a look-up can refuse. */
export const newKey = (): Promise<string> =>
  Effect.runPromise(Effect.provide(ApiKey.mint, crypto)).then(({ key }) => Redacted.value(key))

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a GET request from an address such as `127.0.0.2`. */
export const get = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  localAddress = "127.0.0.1"
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers, localAddress }, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (text: string) => (body += text))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sent.on("error", reject)
    sent.end()
  })

/** Sends requests with 16 at a time, and returns how many answers had each status. */
export const countStatuses = async (
  count: number,
  send: (index: number) => Promise<Answer>
): Promise<ReadonlyMap<number, number>> => {
  const statuses = new Map<number, number>()
  let next = 0
  const work = async () => {
    while (next < count) {
      const { status } = await send(next++)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return statuses
}
