/**
 * A client that records what the service has acknowledged and what it requested without an answer.
 */
import { createHash, randomBytes } from "node:crypto"
import type * as Requests from "../support/Requests.ts"

export interface Bucket {
  readonly tenantId: string
  readonly bucketId: string
}

/** The possible states of one file: the last acknowledged one, and those that were requested since. */
interface Entry {
  /** SHA-256 of the content, or `gone`. */
  acknowledged: string | undefined
  readonly requested: Set<string>
}

/** A state of a file that was requested, or acknowledged, at a time. The id of a new file is known when it is acknowledged. */
interface HistoryEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly isAcknowledged: boolean
  readonly id: string | undefined
  readonly name?: string
  readonly state: string
}

export const gone = "gone"

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

export interface Ledger {
  readonly entries: ReadonlyMap<string, Entry>
  /** States that the service has refused for certain: `id state`, or the name of a file. None of them may ever be read. */
  readonly refused: ReadonlySet<string>
  /** SHA-256 of contents by file name, for uploads whose answer, and with it the file's id, did not arrive. */
  readonly unanswered: ReadonlyMap<string, string>
  readonly history: ReadonlyArray<HistoryEvent>
  readonly acknowledgements: () => number
  readonly create: (size: number) => Promise<void>
  readonly overwrite: (size: number) => Promise<void>
  readonly remove: () => Promise<void>
  /** Reads a file, and records its state as acknowledged when it has not changed meanwhile. */
  readonly read: () => Promise<void>
}

/** The service has refused a request. `isCertain`: it says that nothing was changed, by not saying that this is unknown. */
class Refused extends Error {
  readonly isCertain: boolean
  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.isCertain = !text.includes("unknown")
  }
}

const pick = (ids: ReadonlyArray<string>): string | undefined => ids[Math.floor(Math.random() * ids.length)]

/** `connect` is called for each request, because the service has another port after each start. */
export const make = (connect: () => Requests.Requests, bucket: Bucket): Ledger => {
  const entries = new Map<string, Entry>()
  const unanswered = new Map<string, string>()
  /** Files without a running operation. Two concurrent operations on a file would have an unknown result. */
  const idle = new Set<string>()
  const refused = new Set<string>()
  const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
  let acknowledgements = 0
  let names = 0

  /** Claims a file for one operation. */
  const claim = (): readonly [string, Entry] | undefined => {
    const id = pick([...idle])
    const entry = id === undefined ? undefined : entries.get(id)
    if (id === undefined || entry === undefined) return undefined
    idle.delete(id)
    return [id, entry]
  }

  const history: Array<HistoryEvent> = []
  const record = (event: Omit<HistoryEvent, "at">) => {
    history.push({ ...event, at: performance.timeOrigin + performance.now() })
  }

  const acknowledge = (id: string, entry: Entry, state: string, name?: string) => {
    record({ isAcknowledged: true, id, state, ...(name === undefined ? {} : { name }) })
    entry.acknowledged = state
    entry.requested.clear()
    acknowledgements++
    if (state !== gone) idle.add(id)
  }

  const expectStatus = async (response: Response, status: number) => {
    if (response.status !== status) throw new Refused(response.status, await response.text())
  }

  /** Runs a request. When the service refuses it for certain, its state may never be read. */
  const attempt = async (state: string, request: () => Promise<void>) => {
    try {
      await request()
    } catch (error) {
      if (error instanceof Refused && error.isCertain) refused.add(state)
      throw error
    }
  }

  return {
    entries,
    unanswered,
    refused,
    history,
    acknowledgements: () => acknowledgements,

    create: async (size) => {
      const name = `f${names++}`
      const bytes = randomBytes(size)
      unanswered.set(name, sha256(bytes))
      record({ isAcknowledged: false, id: undefined, name, state: sha256(bytes) })
      const form = new FormData()
      form.set("body", JSON.stringify({ name }))
      form.set("file", new Blob([bytes]), name)
      await attempt(name, async () => {
        const response = await connect().post(`${path}/upload`, { body: form })
        await expectStatus(response, 201)
        const { id } = (await response.json()) as { readonly id: string }
        unanswered.delete(name)
        const entry: Entry = { acknowledged: undefined, requested: new Set() }
        entries.set(id, entry)
        acknowledge(id, entry, sha256(bytes), name)
      })
    },

    overwrite: async (size) => {
      const claimed = claim()
      if (claimed === undefined) return
      const [id, entry] = claimed
      const bytes = randomBytes(size)
      entry.requested.add(sha256(bytes))
      record({ isAcknowledged: false, id, state: sha256(bytes) })
      await attempt(`${id} ${sha256(bytes)}`, async () => {
        const response = await connect().post(`${path}/${id}/reupload`, { body: bytes })
        await expectStatus(response, 200)
        await response.arrayBuffer()
        acknowledge(id, entry, sha256(bytes))
      })
    },

    remove: async () => {
      const claimed = claim()
      if (claimed === undefined) return
      const [id, entry] = claimed
      entry.requested.add(gone)
      record({ isAcknowledged: false, id, state: gone })
      await attempt(`${id} ${gone}`, async () => {
        await expectStatus(await connect().delete(`${path}/${id}`), 204)
        acknowledge(id, entry, gone)
      })
    },

    read: async () => {
      const id = pick([...entries.keys()])
      const entry = id === undefined ? undefined : entries.get(id)
      if (id === undefined || entry === undefined) return
      const before = entry.acknowledged
      const state = await stateOf(connect(), `${path}/${id}`)
      if (refused.has(`${id} ${state}`)) throw new Error(`${id}: a refused state was read`)
      // What was read may not be lost, although its writer has no answer yet.
      if (entry.acknowledged === before && entry.requested.has(state)) {
        record({ isAcknowledged: true, id, state })
        entry.acknowledged = state
      }
    }
  }
}

/** Returns the state of a file as a reader sees it. */
const stateOf = async (requests: Requests.Requests, path: string): Promise<string> => {
  const response = await requests.get(`${path}/view`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return response.status === 200 ? sha256(bytes) : response.status === 404 ? gone : `status ${response.status}`
}

/** What a service may have. */
export type Expected = Pick<Ledger, "entries" | "unanswered" | "refused">

/** Returns what the ledger had at a time, in milliseconds since the epoch. */
export const at = ({ history, refused }: Ledger, time: number): Expected => {
  const entries = new Map<string, Entry>()
  const unanswered = new Map<string, string>()
  for (const { id, isAcknowledged, name, state } of history.filter((event) => event.at <= time)) {
    if (id === undefined) {
      if (name !== undefined) unanswered.set(name, state)
      continue
    }
    const entry = entries.get(id) ?? { acknowledged: undefined, requested: new Set() }
    entries.set(id, entry)
    if (!isAcknowledged) entry.requested.add(state)
    else {
      entry.acknowledged = state
      entry.requested.clear()
      if (name !== undefined) unanswered.delete(name)
    }
  }
  return { entries, unanswered, refused }
}

/** Returns the differences between the service and the ledger, one line each. */
export const audit = async (ledger: Expected, requests: Requests.Requests, bucket: Bucket): Promise<Array<string>> => {
  const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
  const faults: Array<string> = []
  for (const [id, entry] of ledger.entries) {
    const state = await stateOf(requests, `${path}/${id}`)
    if (ledger.refused.has(`${id} ${state}`)) faults.push(`${id}: ${state} was refused`)
    if (state !== entry.acknowledged && !entry.requested.has(state))
      faults.push(`${id}: ${state}, not ${entry.acknowledged}`)
    // From now on the state must remain as it was found.
    entry.acknowledged = state
    entry.requested.clear()
  }
  for (const [name, hash] of ledger.unanswered) {
    const page = (await (await requests.get(path, { query: { name } })).json()) as {
      readonly items: ReadonlyArray<{ readonly name: string; readonly checksum: { readonly sha256: string } | null }>
    }
    const found = page.items.find((item) => item.name === name)
    if (found !== undefined && ledger.refused.has(name)) faults.push(`${name}: was refused`)
    if (found !== undefined && found.checksum?.sha256 !== hash) faults.push(`${name}: incomplete content`)
  }
  return faults
}
