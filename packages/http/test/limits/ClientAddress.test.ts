/**
 * The client address of a request: who may report it, and what follows the request.
 */
import { CurrentRequest, type RequestInfo } from "@holdfast/core/access/CurrentRequest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { describe, expect, it, onTestFinished } from "vitest"
import * as ClientAddress from "../../src/incoming/ClientAddress.ts"
import * as TrustedProxies from "../../src/incoming/TrustedProxies.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as TestServer from "../support/TestServer.ts"

const resolve = (proxies: ReadonlyArray<string>, address: string | undefined, headers: Record<string, string> = {}) =>
  ClientAddress.resolve(
    { address, forwarded: headers["forwarded"], xForwardedFor: headers["x-forwarded-for"] },
    TrustedProxies.parse(proxies)
  )

const proxies = ["10.0.0.0/8", "2001:db8:ffff::/48", "203.0.113.7"]
const client = "198.51.100.1"

describe("ClientAddress: no trusted proxy", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8::1"],
    [undefined, undefined]
  ])("connection from %s → %s, whatever the headers say", (address, expected) => {
    const headers = { "x-forwarded-for": client, forwarded: `for=${client}` }
    expect(resolve([], address, headers)).toBe(expected)
    expect(resolve(["10.0.0.0/8"], address, headers)).toBe(expected)
  })
})

describe("ClientAddress: connection from a trusted proxy", () => {
  it.each([
    ["X-Forwarded-For", client, client],
    ["X-Forwarded-For", `192.0.2.66, ${client}`, client],
    ["X-Forwarded-For", `192.0.2.66, ${client}, 10.9.9.9,203.0.113.7`, client],
    ["X-Forwarded-For", `${client}:4711`, client],
    ["X-Forwarded-For", "[2001:db8::5]:4711", "2001:db8::5"],
    ["X-Forwarded-For", "2001:DB8:0::5", "2001:db8::5"],
    ["X-Forwarded-For", "::ffff:198.51.100.1", client],
    ["X-Forwarded-For", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    // The proxy that reports no address counts as the client.
    ["X-Forwarded-For", "unknown", "10.0.0.1"],
    ["X-Forwarded-For", `${client}, unknown, 10.2.2.2`, "10.2.2.2"],
    ["X-Forwarded-For", "", "10.0.0.1"],
    ["X-Forwarded-For", "0x7f.1", "10.0.0.1"],
    ["X-Forwarded-For", "198.51.100.001", "10.0.0.1"],
    ["X-Forwarded-For", `${"10.1.1.1, ".repeat(100)}10.1.1.1`, "10.1.1.1"],
    ["Forwarded", `for=${client}`, client],
    ["Forwarded", `For="${client}:80";proto=http;by=10.0.0.1`, client],
    ["Forwarded", `proto=https; for="[2001:db8::5]:4711"`, "2001:db8::5"],
    ["Forwarded", `for=192.0.2.66, for=${client}, for=10.9.9.9`, client],
    ["Forwarded", "for=_hidden", "10.0.0.1"],
    ["Forwarded", "for=unknown, for=10.2.2.2", "10.2.2.2"],
    ["Forwarded", "by=192.0.2.66", "10.0.0.1"],
    ["Forwarded", `xfor=192.0.2.66`, "10.0.0.1"]
  ])("%s: %s → %s", (name, value, expected) => {
    expect(resolve(proxies, "::ffff:10.0.0.1", { [name.toLowerCase()]: value })).toBe(expected)
  })

  it("both headers: same client → the client; different ones → the proxy", () => {
    const both = (forwarded: string) => resolve(proxies, "10.0.0.1", { forwarded, "x-forwarded-for": client })
    expect(both(`for=192.0.2.66, for=${client}`)).toBe(client)
    expect(both("for=192.0.2.66")).toBe("10.0.0.1")
  })
})

describe("TrustedProxies", () => {
  it.each([
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0/8",
    "010.0.0.1",
    "::/129",
    "example.com",
    "10.0.0.0/8/8",
    "fe80::1%eth0",
    ""
  ])("%j → not a network", (text) => expect(TrustedProxies.parseNetwork(text)).toBeUndefined())
})

interface Line {
  readonly requestId: string
  readonly remoteAddress: string
}

/** Stops a service and returns the address that its access log has for a request. */
const loggedAddress = async (service: Process.Service, requestId: string): Promise<string | undefined> => {
  await service.stop()
  const lines = service.stdout().split("\n")
  return lines
    .filter((text) => text.startsWith('{"time"'))
    .map((text): Line => JSON.parse(text))
    .find((line) => line.requestId === requestId)?.remoteAddress
}

it.each([
  ["no trusted proxy", {}, "127.0.0.1"],
  ["another trusted proxy", { HOLDFAST_TRUSTED_PROXIES: "10.0.0.0/8" }, "127.0.0.1"],
  ["trusted proxy", { HOLDFAST_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.0/8" }, client]
])("access log: X-Forwarded-For, %s → %s", async (_, env, expected) => {
  const { api, service } = await ServiceBucket.start({ env })
  await api.get("/me", { headers: { "x-forwarded-for": `192.0.2.66, ${client}`, "x-request-id": "seen" } })
  expect(await loggedAddress(service, "seen")).toBe(expected)
})

it("HOLDFAST_TRUSTED_PROXIES: no network → the start fails and names the setting", async () => {
  const { code, stderr } = await Process.run(["serve"], { env: { HOLDFAST_TRUSTED_PROXIES: "proxy.example" } })
  expect(code).toBe(2)
  expect(stderr).toMatch(/HOLDFAST_TRUSTED_PROXIES/)
})

it("CurrentRequest: request → its id and its client's address", async () => {
  const routes = HttpRouter.add(
    "GET",
    "/current",
    Effect.map(CurrentRequest, (info) => HttpServerResponse.jsonUnsafe(info))
  )
  const server = await TestServer.start({ routes })
  onTestFinished(() => server.close())
  const answer = await fetch(`${server.url}/current`, { headers: { "x-request-id": "one", "x-forwarded-for": client } })
  const info = (await answer.json()) as RequestInfo
  expect(info).toEqual({ requestId: "one", clientAddress: "127.0.0.1" })
})
