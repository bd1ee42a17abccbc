/**
 * Clients that upload one file after the other, and remember which uploads were acknowledged.
 */
import { setTimeout as wait } from "node:timers/promises"
import { expect } from "vitest"
import { json } from "../../support/Problems.ts"
import type * as ServiceBucket from "../../support/ServiceBucket.ts"

interface Acknowledged {
  readonly path: string
  readonly text: string
}

export interface UploadLoop {
  /** The uploads that were answered with 201 so far. */
  readonly acknowledged: () => ReadonlyArray<Acknowledged>
  /** The statuses of the other ones; 0 for a request that the service did not answer. */
  readonly refused: () => ReadonlyArray<number>
  /** How long the slowest answer took, in milliseconds. */
  readonly slowest: () => number
  /** Ends the loop, and waits for the requests that run. */
  readonly stop: () => Promise<void>
}

/** Milliseconds between the uploads of a client: a load without pauses takes the processors from the tests beside it. */
const pause = 20

/** Starts a number of clients. */
export const start = (
  { api, files }: Pick<ServiceBucket.ServiceBucket, "api" | "files">,
  clients: number,
  prefix = "file"
): UploadLoop => {
  const acknowledged: Array<Acknowledged> = []
  const refused: Array<number> = []
  let slowest = 0
  const stopping = new AbortController()

  const upload = async (name: string): Promise<void> => {
    const begin = performance.now()
    const form = new FormData()
    form.set("body", JSON.stringify({ name }))
    form.set("file", new Blob([name], { type: "text/plain" }))
    try {
      const answer = await api.post(`${files}/upload`, { body: form })
      const { id } = await json<{ readonly id: string }>(answer)
      if (answer.status === 201) acknowledged.push({ path: `${files}/${id}`, text: name })
      else refused.push(answer.status)
    } catch {
      refused.push(0)
    }
    slowest = Math.max(slowest, performance.now() - begin)
  }

  const running = Array.from({ length: clients }, async (_, client) => {
    for (let n = 0; !stopping.signal.aborted; n++) {
      await upload(`${prefix}-${client}-${n}.txt`)
      await wait(pause)
    }
  })
  return {
    acknowledged: () => acknowledged,
    refused: () => refused,
    slowest: () => slowest,
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    }
  }
}

/** Expects that every acknowledged upload can be read, and that the others were answered with 503. */
export const expectKept = async (
  { api }: Pick<ServiceBucket.ServiceBucket, "api">,
  { acknowledged, refused }: UploadLoop
): Promise<void> => {
  for (const { path, text } of acknowledged()) {
    const answer = await api.get(`${path}/view`)
    expect([answer.status, await answer.text()]).toEqual([200, text])
  }
  expect(refused().filter((status) => status !== 503)).toEqual([])
}
