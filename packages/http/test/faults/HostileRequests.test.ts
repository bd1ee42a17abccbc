/**
 * Hostile requests for every operation of the contract, against the service as a process: whatever one tenant sends, the
 * answers are small, no request fails because of the service, and the neighbour is served meanwhile.
 *
 * `HOLDFAST_FAULTS=all` (`pnpm faults`) sends all requests to a service with SQLite, and those with small bodies to one with PostgreSQL.
 * Otherwise SQLite gets every fifth one, and PostgreSQL every sixth of those with a small body: all operations but one, and nearly all
 * kinds of values.
 */
import * as HostileRequests from "@holdfast/testing/hostile/HostileRequests"
import * as Neighbour from "@holdfast/testing/neighbour/Neighbour"
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import * as ProcessMemory from "../support/ProcessMemory.ts"
import * as ProcessTime from "../support/ProcessTime.ts"
import * as Requests from "../support/Requests.ts"

/** The largest answer, in bytes. */
const maxAnswer = 64 * 1024
/** By how much the memory of the service may grow after the first requests, in bytes. */
const maxGrowth = 64 * 1024 * 1024
/** Requests after which the service has compiled its code and its heap has its usual size. */
const warmUp = 500
/** How long one request may stall the event loop, in milliseconds of processor time. */
const maxStall = 50
/**
 * How often a request is sent again that took longer: the collection of the garbage of earlier requests, and the neighbour's
 * reads, fall into its time too.
 */
const repetitions = 2

interface Answer {
  readonly name: string
  readonly status: number
  readonly bytes: number
  readonly stall: number
}

/** Returns the memory of a service without garbage, in bytes: the heap of V8 is otherwise as large as it has ever been. */
const measureMemory = async (service: Process.Service): Promise<number> => {
  await ProcessMemory.collectGarbage(service)
  return ProcessMemory.readMemory(service.child.pid ?? 0).now
}

/** Creates a tenant with a bucket and a file in it. */
const makeTenancy = async (requests: Requests.Requests, subdomain: string) => {
  const create = async (path: string, options: Requests.RequestOptions) => {
    const { id } = (await (await requests.post(path, options)).json()) as { readonly id: string }
    return id
  }
  const tenantId = await create("/tenants", { json: { name: subdomain, subdomain } })
  const bucketId = await create(`/tenants/${tenantId}/buckets`, { json: { name: "bucket" } })
  const body = new FormData()
  body.append("file", new Blob(["Hello"]), "hello.txt")
  const fileId = await create(`/tenants/${tenantId}/buckets/${bucketId}/files/upload`, { body })
  return { tenantId, bucketId, fileId }
}

/** Sends the selected requests, one at a time, while the neighbour reads its file. */
const attack = async (
  environment: Readonly<Record<string, string>>,
  select: (requests: ReadonlyArray<HostileRequests.HostileRequest>) => ReadonlyArray<HostileRequests.HostileRequest>
) => {
  const service = await Process.serve({
    env: {
      ...Process.converting,
      HOLDFAST_ACCESS_LOG: "off",
      HOLDFAST_MIRRORS: "0",
      ...ProcessMemory.inspectable,
      ...environment
    }
  })
  const [key] = await service.untilPrinted(/hf_[\w-]{49}/)
  const requests = Requests.make(`${service.url}/api/v1`, key)
  const document = (await (await requests.get(`${service.url}/openapi.json`)).json()) as object
  const neighbour = await makeTenancy(requests, "neighbour")
  const attacker = await makeTenancy(requests, "attacker")
  const hostile = HostileRequests.make(document, attacker)

  const pid = service.child.pid ?? 0
  const send = async ({ body, headers, method, name, path }: HostileRequests.HostileRequest): Promise<Answer> => {
    const sent = body()
    const before = ProcessTime.readMainThread(pid)
    const answer = await requests.request(method, `${service.url}${path}`, {
      headers,
      ...(sent === undefined ? undefined : { body: sent })
    })
    const bytes = (await answer.arrayBuffer()).byteLength
    return { name, status: answer.status, bytes, stall: ProcessTime.readMainThread(pid) - before }
  }
  const sendUntilQuick = async (request: HostileRequests.HostileRequest): Promise<Answer> => {
    const answer = await send(request)
    let { stall } = answer
    for (let repetition = 0; stall > maxStall && repetition < repetitions; repetition++) {
      stall = Math.min(stall, (await send(request)).stall)
    }
    return { ...answer, stall }
  }
  const sendAll = Effect.promise(async () => {
    const answers: Array<Answer> = []
    let memory = 0
    for (const request of select(hostile)) {
      if (answers.length === warmUp) memory = await measureMemory(service)
      answers.push(await sendUntilQuick(request))
    }
    return { answers, growth: (await measureMemory(service)) - memory }
  })
  const view = `tenants/${neighbour.tenantId}/buckets/${neighbour.bucketId}/files/${neighbour.fileId}/view`
  const url = `${service.url}/api/v1/${view}`
  return Effect.runPromise(Neighbour.observe({ url, headers: { "x-api-key": key }, intervalMs: 100 }, sendAll))
}

const expectHarmless = ({ neighbour, result }: Awaited<ReturnType<typeof attack>>) => {
  const { answers, growth } = result
  expect(answers.length).toBeGreaterThan(warmUp + 100)
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(answers.filter(({ bytes }) => bytes > maxAnswer)).toEqual([])
  expect(answers.filter(({ stall }) => stall > maxStall)).toEqual([])
  expect(neighbour.failures, neighbour.firstFailure).toBe(0)
  expect(growth).toBeLessThan(maxGrowth)
}

/** Whether a request has no large body: those test the service, not its database. */
const isSmall = ({ body }: HostileRequests.HostileRequest): boolean => Buffer.byteLength(body() ?? "") < 16 * 1024

const isWhole = process.env["HOLDFAST_FAULTS"] === "all"

/** Returns every nth request, or all of them. */
const sample = <A>(all: ReadonlyArray<A>, n: number): ReadonlyArray<A> =>
  isWhole ? all : all.filter((_, index) => index % n === 0)

describe("hostile requests for every operation", () => {
  it("SQLite → no request answered with 500 or above, small answers, no stall", { timeout: 480_000 }, async () => {
    expectHarmless(await attack({}, (all) => sample(all, 5)))
  })

  Requires.requires(Database.missing).describe("PostgreSQL", () => {
    let database: Database.Database
    beforeAll(async () => {
      database = await Database.start()
    }, 60_000)
    afterAll(() => database.close())

    it("small requests → none answered with 500 or above", { timeout: 480_000 }, async () => {
      expectHarmless(await attack({ DATABASE_URL: await database.create() }, (all) => sample(all.filter(isSmall), 6)))
    })
  })
})
