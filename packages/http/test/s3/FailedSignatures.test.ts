/**
 * Failed authentications at the S3 API count for the rate that the other API has.
 */
import * as Duration from "effect/Duration"
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest"
import * as Guesses from "../limits/Guesses.ts"
import * as TestServer from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"
import * as Sign from "./Sign.ts"

/** More failures than this are refused, for an hour. */
const requests = 60

let server: TestServer.TestServer
let tenantId: string

beforeAll(async () => {
  const failedAuthenticationRate = { requests, window: Duration.hours(1) }
  server = await TestServer.start({ settings: { failedAuthenticationRate } })
  ;({ tenantId } = await server.makeTenant())
})

afterAll(() => server.close())

const list = (credentials: S3Server.Credentials, address?: string) => {
  const { headers, url } = Sign.sign(`${server.url}/s3/`, credentials)
  return Guesses.get(url, headers, address)
}

it("guesses from one address → SlowDown, also at the other API; another address and known keys → not affected", async () => {
  const used = await S3Server.makeToken(server, tenantId)
  const neverUsed = await S3Server.makeToken(server, tenantId)
  const guessed = { ...used, secretAccessKey: "wrong" }
  const unknown = { ...used, accessKeyId: used.accessKeyId.replace(/.{8}$/, "00000000") }
  expect((await list(used)).status).toBe(200)
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
  onTestFinished(() => log.mockRestore())

  const statuses = await Guesses.countStatuses(200, (index) => list(index % 2 === 0 ? guessed : unknown))
  // Requests that run when the rate is reached are still answered with 403.
  expect(statuses.get(403)).toBeGreaterThanOrEqual(requests)
  expect(statuses.get(403)).toBeLessThan(requests + 16)
  expect(statuses.get(503)).toBe(200 - (statuses.get(403) ?? 0))

  for (const credentials of [guessed, unknown, neverUsed]) {
    const refused = await list(credentials)
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": expect.stringMatching(/^\d+$/) } })
    expect(refused.body).toContain("<Code>SlowDown</Code>")
  }
  expect((await list(used)).status).toBe(200)
  expect((await list(neverUsed, "127.0.0.2")).status).toBe(200)
  const other = await Guesses.get(`${server.baseUrl}/me`, { "x-api-key": await Guesses.newKey() })
  expect(other.status).toBe(429)
  // Otherwise guesses would fill the log.
  expect(log.mock.calls.flat().filter((line) => String(line).includes("S3 request failed"))).toEqual([])
})
