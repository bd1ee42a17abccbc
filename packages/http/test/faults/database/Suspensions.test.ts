/**
 * PostgreSQL, or a node, is suspended (SIGSTOP) while clients upload, and continues later.
 *
 * `HOLDFAST_FULL=1` suspends for 30 seconds, otherwise for some.
 */
import { requires } from "@holdfast/testing/Requires"
import { setTimeout as wait } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Database from "../../support/Database.ts"
import * as Process from "../../support/Process.ts"
import * as Requests from "../../support/Requests.ts"
import * as ServiceBucket from "../../support/ServiceBucket.ts"
import * as SharedStores from "../../support/SharedStores.ts"
import * as UploadLoop from "./UploadLoop.ts"

const suspension = process.env["HOLDFAST_FULL"] === "1" ? 30_000 : 6_000

/** Answers come within the timeout of the database. A busy machine delays them. */
const margin = 10_000

const readiness = async (url: string): Promise<number> => (await fetch(`${url}/health/ready`)).status

/** Repeats an effect, ten times a second at most, until the time of the suspension is over. */
const duringSuspension = async (step: () => Promise<unknown>): Promise<void> => {
  for (const end = performance.now() + suspension; performance.now() < end;) await Promise.all([step(), wait(100)])
}

requires(Database.missing).describe("PostgreSQL suspended", () => {
  let database: Database.Database
  beforeAll(async () => {
    database = await Database.start()
  })
  afterAll(() => database.close())

  it("uploads meanwhile → 503 in time, not ready; continued → ready, every acknowledged upload is there", async () => {
    const env = { DATABASE_URL: await database.create(), HOLDFAST_DATABASE_TIMEOUT: "3s", HOLDFAST_SCRUB_PERIOD: "0" }
    const bucket = await ServiceBucket.start({ env })
    const uploads = UploadLoop.start(bucket, 4)
    await expect.poll(() => uploads.acknowledged().length, { timeout: 60_000 }).toBeGreaterThan(20)

    await database.suspend()
    await duringSuspension(async () => expect(await readiness(bucket.service.url)).toBe(503))
    await database.resume()
    const before = uploads.acknowledged().length
    await expect.poll(() => readiness(bucket.service.url), { timeout: 60_000 }).toBe(200)
    await expect.poll(() => uploads.acknowledged().length, { timeout: 60_000 }).toBeGreaterThan(before + 20)
    await uploads.stop()
    expect(uploads.refused().length).toBeGreaterThan(0)
    expect(uploads.slowest()).toBeLessThan(3000 + margin)
    await UploadLoop.expectKept(bucket, uploads)
  }, 480_000)
})

requires(SharedStores.missing).describe("one of two nodes suspended", () => {
  const stores = SharedStores.useSharedStores()

  it("uploads at both → the other node serves; continued → every acknowledged upload is there", async () => {
    const { env, rootKey } = await stores.make()
    const [first, second] = [await Process.serve({ env }), await Process.serve({ env })]
    const bucket = await ServiceBucket.create(first, rootKey)
    const atSecond = { ...bucket, service: second, api: Requests.make(`${second.url}/api/v1`, rootKey) }
    const [paused, serving] = [UploadLoop.start(bucket, 2, "first"), UploadLoop.start(atSecond, 2, "second")]
    await expect.poll(() => paused.acknowledged().length, { timeout: 60_000 }).toBeGreaterThan(10)

    first.kill("SIGSTOP")
    const before = serving.acknowledged().length
    await duringSuspension(async () => expect(await readiness(second.url)).toBe(200))
    expect(serving.acknowledged().length).toBeGreaterThan(before)
    first.kill("SIGCONT")
    const atResume = paused.acknowledged().length
    await expect.poll(() => paused.acknowledged().length, { timeout: 60_000 }).toBeGreaterThan(atResume + 5)
    await Promise.all([paused.stop(), serving.stop()])
    await UploadLoop.expectKept(atSecond, paused)
    await UploadLoop.expectKept(bucket, serving)
    expect(serving.refused()).toEqual([])
    expect(await Process.run(["fsck"], { env })).toMatchObject({ code: 0 })
  }, 480_000)
})
