import * as Duration from "effect/Duration"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Token {
  readonly id: string
  readonly key: string
  readonly createdAt: string
  readonly expiresAt: string | null
}

interface Place {
  readonly path: string
  readonly memberId: string
}

const day = 86_400_000
const later = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()

const makePlace = async (server: TestServer.TestServer): Promise<Place> => {
  const { tenantId } = await server.makeTenant()
  const { items } = await json<{ items: Array<{ id: string }> }>(await server.get(`/tenants/${tenantId}/members`))
  return { path: `/tenants/${tenantId}/tokens`, memberId: items[0]?.id ?? "" }
}

const create = (server: TestServer.TestServer, { memberId, path }: Place, fields: object, key?: string) =>
  server.post(path, {
    json: { name: "CI", member: { id: memberId }, ...fields },
    ...(key === undefined ? {} : { key })
  })

const expectRefusal = (response: Response) => expectProblem(response, 400, "invalid_request")

describe("expiry of tokens", () => {
  let server: TestServer.TestServer
  let place: Place
  beforeAll(async () => {
    server = await TestServer.start()
    place = await makePlace(server)
  })
  afterAll(() => server.close())

  it("time later than the token that creates the token → 400 that names expiresAt; the same time → 201", async () => {
    const expiresAt = later(60_000)
    const parent = await json<Token>(await create(server, place, { expiresAt }))
    const refused = await create(server, place, { expiresAt: later(120_000) }, parent.key)
    const problem = await expectRefusal(refused)
    expect(problem.errors).toEqual([
      { pointer: "/expiresAt", detail: `must be at most ${expiresAt}, when the token that creates it expires` }
    ])
    expect((await json<Token>(await create(server, place, { expiresAt }, parent.key))).expiresAt).toBe(expiresAt)
  })

  it("day that the calendar does not have, or a text that only Date reads → 400 that names expiresAt", async () => {
    for (const expiresAt of ["2027-02-30T00:00:00Z", "2027-01-01", "2027-01-01T00:00:00", "foo 2027", "27"]) {
      const problem = await expectRefusal(await create(server, place, { expiresAt }))
      expect(problem.errors, expiresAt).toEqual([
        { pointer: "/expiresAt", detail: expect.stringContaining("RFC 3339") }
      ])
    }
  })

  it("no time, created with a token → expires with that token", async () => {
    const parent = await json<Token>(await create(server, place, { expiresAt: later(60_000) }))
    const child = await create(server, place, {}, parent.key)
    expect(child.status).toBe(201)
    expect((await json<Token>(child)).expiresAt).toBe(parent.expiresAt)
  })

  it("no time, created with an account key → expires after the deployment's lifetime", async () => {
    const { createdAt, expiresAt } = await json<Token>(await create(server, place, {}))
    expect(Date.parse(expiresAt ?? "") - Date.parse(createdAt)).toBe(366 * day)
  })

  it("time after the deployment's lifetime → 400 with the latest time", async () => {
    const { errors } = await expectRefusal(await create(server, place, { expiresAt: later(367 * day) }))
    expect(errors?.[0]?.detail).toMatch(
      /^must be at most 20\d\d-.+Z, the longest lifetime that this deployment allows$/
    )
  })

  it.each(["+010000-01-01T00:00:00.000Z", "+275760-09-13T00:00:00.000Z", "-000001-01-01T00:00:00.000Z"])(
    "%s, outside the years 0 to 9999 → 400",
    async (expiresAt) => {
      const problem = await expectProblem(await create(server, place, { expiresAt }), 400, "invalid_request")
      expect(pointers(problem)).toEqual(["/expiresAt"])
    }
  )
})

describe("expiry of tokens where tokens that never expire are allowed", () => {
  let server: TestServer.TestServer
  let place: Place
  beforeAll(async () => {
    server = await TestServer.start({ settings: { allowEternalTokens: true, tokenLifetime: Duration.hours(1) } })
    place = await makePlace(server)
  })
  afterAll(() => server.close())

  it("named time and null → as requested; no time → the deployment's lifetime", async () => {
    const far = "9999-12-31T23:59:59.999Z"
    expect((await json<Token>(await create(server, place, { expiresAt: far }))).expiresAt).toBe(far)
    expect((await json<Token>(await create(server, place, { expiresAt: null }))).expiresAt).toBeNull()
    const { createdAt, expiresAt } = await json<Token>(await create(server, place, {}))
    expect(Date.parse(expiresAt ?? "") - Date.parse(createdAt)).toBe(3_600_000)
  })

  it("+010000 → 400", async () => {
    const response = await create(server, place, { expiresAt: "+010000-01-01T00:00:00.000Z" })
    expect(pointers(await expectProblem(response, 400, "invalid_request"))).toEqual(["/expiresAt"])
  })

  it("null, created with a token that expires → 400", async () => {
    const parent = await json<Token>(await create(server, place, { expiresAt: later(60_000) }))
    const response = await create(server, place, { expiresAt: null }, parent.key)
    expect(pointers(await expectProblem(response, 400, "invalid_request"))).toEqual(["/expiresAt"])
  })
})
