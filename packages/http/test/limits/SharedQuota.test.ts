/**
 * The limit on the bytes of a tenant, with real processes: never exceeded by a byte, and nothing refused while there is room.
 */
import { requires } from "@holdfast/testing/Requires"
import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as SharedStores from "../support/SharedStores.ts"

interface Usage {
  readonly contentBytes: number
  readonly reservedBytes: number
}

/** Twenty times as many bytes are more than a service reads before it reserves them. */
const size = 4000
/** The last of the uploads that fit leaves half of one. */
const maximum = 20 * size + size / 2
const limited = { HOLDFAST_QUOTA_BYTES: String(maximum), HOLDFAST_ACCESS_LOG: "off" }

const usageOf = async ({ api, tenantId }: ServiceBucket.ServiceBucket): Promise<Usage> => {
  const { usage } = await json<{ readonly usage: Usage }>(await api.get(`/tenants/${tenantId}/usage`))
  return { contentBytes: usage.contentBytes, reservedBytes: usage.reservedBytes }
}

const reserveFile = async ({ api, files }: ServiceBucket.ServiceBucket, name: string): Promise<string> => {
  const { id } = await json<{ readonly id: string }>(await api.post(files, { json: { name } }))
  return `${files}/${id}/reupload`
}

const send = (api: Requests.Requests, path: string, bytes: number): Promise<Response> =>
  api.post(path, { body: new Uint8Array(bytes), headers: { "content-type": "application/octet-stream" } })

/** Sends 64 uploads at the same time through the nodes, then one that fits exactly, then one byte more. */
const fill = async (bucket: ServiceBucket.ServiceBucket, nodes: ReadonlyArray<Requests.Requests>) => {
  const paths: Array<string> = []
  for (let index = 0; index < 64; index++) paths.push(await reserveFile(bucket, `f${index}`))
  const answers = await Promise.all(
    paths.map((path, index) => send(nodes[index % nodes.length] ?? bucket.api, path, size))
  )
  const refused = answers.filter(({ status }) => status !== 200)
  expect(answers.length - refused.length).toBe(20)
  for (const answer of refused) {
    expect(await expectProblem(answer, 403, "quota_exceeded")).toMatchObject({
      quota: { owner: "tenant", limit: "bytes", maximum }
    })
  }
  expect(await usageOf(bucket)).toEqual({ contentBytes: 20 * size, reservedBytes: 0 })
  expect((await send(bucket.api, await reserveFile(bucket, "rest"), size / 2)).status).toBe(200)
  await expectProblem(await send(bucket.api, await reserveFile(bucket, "more"), 1), 403, "quota_exceeded")
  expect(await usageOf(bucket)).toEqual({ contentBytes: maximum, reservedBytes: 0 })
}

describe("limit on bytes, SQLite", () => {
  it("64 uploads at the last bytes → as many as fit; the sum is exact", async () => {
    const bucket = await ServiceBucket.start({ env: limited })
    await fill(bucket, [bucket.api])
  })

  it("kill -9 while an upload has reserved its length → after the next start its room is free", async () => {
    const bucket = await ServiceBucket.start({ env: limited })
    const path = await reserveFile(bucket, "killed")
    const { hostname, port } = new URL(bucket.service.url)
    const socket = connect(Number(port), hostname).on("error", () => undefined)
    onTestFinished(() => void socket.destroy())
    socket.write(
      `POST /api/v1${path} HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${bucket.key}\r\n` +
        `Content-Type: application/octet-stream\r\nContent-Length: ${20 * size}\r\n\r\nsome bytes`
    )
    await expect.poll(() => usageOf(bucket), { timeout: 20_000 }).toEqual({ contentBytes: 0, reservedBytes: 20 * size })
    await expectProblem(await send(bucket.api, await reserveFile(bucket, "other"), size), 403, "quota_exceeded")
    await bucket.service.stop("SIGKILL")

    const service = await Process.serve({ env: limited, data: bucket.service.data })
    const restarted = { ...bucket, service, api: Requests.make(`${service.url}/api/v1`, bucket.key) }
    expect(await usageOf(restarted)).toEqual({ contentBytes: 0, reservedBytes: 0 })
    expect((await send(restarted.api, path, maximum)).status).toBe(200)
    expect(await usageOf(restarted)).toEqual({ contentBytes: maximum, reservedBytes: 0 })
  })
})

requires(SharedStores.missing).describe("limit on bytes, three nodes on PostgreSQL", () => {
  const stores = SharedStores.useSharedStores()

  it("64 uploads at the last bytes → as many as fit; the sum is exact", { timeout: 120_000 }, async () => {
    const { env, rootKey } = await stores.make()
    const options = { env: { ...env, ...limited, HOLDFAST_CONVERSIONS: "0" } }
    const first = await Process.serve(options)
    const others = await Promise.all([Process.serve(options), Process.serve(options)])
    const bucket = await ServiceBucket.create(first, rootKey)
    await fill(
      bucket,
      [first, ...others].map(({ url }) => Requests.make(`${url}/api/v1`, rootKey))
    )
  })
})
