/**
 * Kills the service while it writes events and sends them.
 */
import { requires } from "@holdfast/testing/Requires"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Database from "../support/Database.ts"
import * as DeliveryService from "./DeliveryService.ts"
import * as Receiver from "./Receiver.ts"

const isFull = process.env["HOLDFAST_FULL"] === "1"

const fileOf = ({ body }: Receiver.Received): string => String(JSON.parse(body).data.fileId)

/** `kills` is how often the service is killed; ten times with HOLDFAST_FULL=1. */
const declare = (settings: () => Promise<Readonly<Record<string, string>>>, kills: number) => {
  it(
    "SIGKILL at random times → each committed event arrives at least once, and none of what was rolled back",
    { timeout: 600_000 },
    async () => {
      const connection = await settings()
      let service = await DeliveryService.start(connection)
      const receiver = await Receiver.start()
      await DeliveryService.createWebhook(service, receiver.url, { eventTypes: ["file.created"] })
      let next = 0
      for (let kill = 0; kill < (isFull ? 10 : kills); kill++) {
        const killed = new AbortController()
        const create = async () => {
          // The last request of each fails, with or without its change.
          while (!killed.signal.aborted) {
            const name = `${next++}.txt`
            await DeliveryService.createFile(service, name).catch(() => {})
            // The name exists, so that this change is rolled back.
            await DeliveryService.createFile(service, name).catch(() => {})
          }
        }
        const writers = Promise.all(Array.from({ length: 4 }, create))
        const arrived = receiver.received.length + Math.floor(Math.random() * 60)
        await expect.poll(() => receiver.received.length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(arrived)
        await service.service.stop("SIGKILL")
        killed.abort()
        await writers
        service = await DeliveryService.restart(service, connection)
      }
      const committed = new Set<string>()
      let cursor: string | null = null
      do {
        const answer: Response = await service.api.get(service.files, {
          query: { limit: "1000", recursive: "true", ...(cursor === null ? undefined : { cursor }) }
        })
        const page = (await answer.json()) as {
          readonly items: ReadonlyArray<{ readonly id: string }>
          readonly nextCursor: string | null
        }
        for (const { id } of page.items) committed.add(id)
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(committed.size).toBeGreaterThan(kills)
      const arrived = () => new Set(receiver.received.map(fileOf))
      const missing = () => {
        const ids = arrived()
        return [...committed].filter((id) => !ids.has(id))
      }
      await expect.poll(missing, { timeout: 90_000 }).toEqual([])
      expect([...arrived()].filter((id) => !committed.has(id))).toEqual([])
    }
  )
}

describe("deliveries and SIGKILL on SQLite", () => declare(async () => ({}), 3))

requires(Database.missing).describe("deliveries and SIGKILL on PostgreSQL", () => {
  let database: Database.Database
  beforeAll(async () => void (database = await Database.start()), 60_000)
  afterAll(() => database.close())
  // Deliveries wait 30 seconds for the lease of a killed process, since another node could have it.
  declare(async () => ({ DATABASE_URL: await database.create() }), 1)
})
