/**
 * Shares on two nodes with one database.
 */
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Requires from "@holdfast/testing/Requires"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { expect, it, onTestFinished } from "vitest"
import * as Database from "../support/Database.ts"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as ShareSession from "./ShareSession.ts"

Requires.requires(Database.missing).describe("shares on two nodes with PostgreSQL", () => {
  it(
    "removed on one → the other refuses token and session at once, and within its cache what they opened",
    { timeout: 60_000 },
    async () => {
      const database = await Database.start()
      onTestFinished(() => database.close())
      const url = Redacted.make(await database.create())
      const store = await Effect.runPromise(MemoryBlobStore.make)
      const startNode = async () => {
        const node = await TestServer.start({
          metadata: PostgresMetadata.layer({ url }),
          blobs: Layer.succeed(BlobStore, store),
          signingSecret: new Uint8Array(32).fill(7)
        })
        onTestFinished(() => node.close())
        return node
      }
      const [one, other] = [await startNode(), await startNode()]

      const bucket = await one.makeBucket()
      const file = await one.makeFile(bucket, "shared")
      const shares = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/shares`
      const share = await json<ShareSession.Share>(
        await one.post(shares, { json: { name: "For two", maxDownloads: 9 } })
      )
      const byToken = () => other.get(`${file.path}/view`, { key: null, query: { apiKey: share.token } })
      const cookie = await ShareSession.open(other.url, share)
      const bySession = () => fetch(`${other.url}/s/${share.id}/info`, { headers: { cookie } })
      const ticket = await byToken()
      const byTicket = () => fetch(new URL(ticket.headers.get("location") ?? "", ticket.url))
      expect([ticket.status, (await bySession()).status, (await byTicket()).status]).toEqual([307, 200, 200])

      expect((await one.delete(`${shares}/${share.id}`)).status).toBe(204)
      expect([(await byToken()).status, (await bySession()).status]).toEqual([401, 401])
      await expect.poll(async () => (await byTicket()).status, { timeout: 10_000 }).toBe(401)
    }
  )
})
