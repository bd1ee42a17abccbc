import { describe, expect, it } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"

const origin = "https://app.example.com"

const preflight = (url: string, from: string) =>
  fetch(url, {
    method: "OPTIONS",
    headers: {
      origin: from,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type, x-api-key"
    }
  })

describe("CORS", () => {
  it("allowed origin → preflight answered; responses, errors and contents readable by pages", async () => {
    const bucket = await ServiceBucket.start({ env: { HOLDFAST_CORS_ORIGINS: `${origin}, https://other.example.com` } })
    const path = await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(200_000))
    const { api } = bucket

    const preflightAnswer = await preflight(`${api.baseUrl}/tenants`, origin)
    expect(preflightAnswer.status).toBe(204)
    expect(preflightAnswer.headers.get("access-control-allow-origin")).toBe(origin)
    expect(preflightAnswer.headers.get("access-control-allow-methods")).toContain("POST")
    expect(preflightAnswer.headers.get("access-control-allow-headers")).toBe("content-type, x-api-key")
    expect(preflightAnswer.headers.get("access-control-max-age")).not.toBeNull()
    expect(preflightAnswer.headers.get("vary")).toContain("Origin")
    expect(preflightAnswer.headers.get("x-request-id")).not.toBeNull()

    const small = { range: "bytes=0-9" }
    for (const headers of [{ origin }, { origin, ...small }]) {
      const content = await api.get(`${path}/view`, { headers })
      expect(content.ok).toBe(true)
      expect(content.headers.get("access-control-allow-origin")).toBe(origin)
      expect(content.headers.get("vary")).toBe("Origin, Authorization, X-Api-Key")
      for (const name of [
        "ETag",
        "Location",
        "Content-Range",
        "RateLimit",
        "RateLimit-Policy",
        "Retry-After",
        "X-Request-Id"
      ]) {
        expect(content.headers.get("access-control-expose-headers")).toContain(name)
      }
      await content.arrayBuffer()
    }

    const denied = await api.get("/me", { key: null, headers: { origin } })
    expect(denied.status).toBe(401)
    expect(denied.headers.get("access-control-allow-origin")).toBe(origin)
    expect(denied.headers.get("access-control-allow-credentials")).toBeNull()
  })

  it("key that is for pages of another origin → 403, which the page can read", async () => {
    const other = "https://other.example.com"
    const bucket = await ServiceBucket.start({ env: { HOLDFAST_CORS_ORIGINS: `${origin}, ${other}` } })
    const { api, tenantId } = bucket
    const members = `/tenants/${tenantId}/members`
    const { items } = (await (await api.get(members)).json()) as { items: ReadonlyArray<{ id: string }> }
    const token = { name: "page", member: { id: items[0]?.id }, allowedOrigins: [origin] }
    const { key } = (await (await api.post(`/tenants/${tenantId}/tokens`, { json: token })).json()) as { key: string }
    for (const [from, status] of [
      [origin, 200],
      [other, 403]
    ] as const) {
      expect((await preflight(`${api.baseUrl}/me`, from)).headers.get("access-control-allow-origin")).toBe(from)
      const answer = await api.get("/me", { key, headers: { origin: from } })
      expect(answer.status).toBe(status)
      expect(answer.headers.get("access-control-allow-origin")).toBe(from)
      expect(answer.headers.get("vary")).toContain("Origin")
    }
  })

  it("other origin → not allowed", async () => {
    const { api } = await ServiceBucket.start({ env: { HOLDFAST_CORS_ORIGINS: origin } })
    const preflightAnswer = await preflight(`${api.baseUrl}/tenants`, "https://evil.example.com")
    expect(preflightAnswer.headers.get("access-control-allow-origin")).toBeNull()
    const answer = await api.get("/me", { headers: { origin: "https://evil.example.com" } })
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    expect(answer.headers.get("vary")).toContain("Origin")
  })
})

it("CORS: HOLDFAST_CORS_ORIGINS=* → every origin allowed", async () => {
  const { api } = await ServiceBucket.start({ env: { HOLDFAST_CORS_ORIGINS: "*" } })
  const answer = await api.get("/me", { headers: { origin } })
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
})

it("CORS: nothing set → no origin allowed", async () => {
  const { api } = await ServiceBucket.start()
  const preflightAnswer = await preflight(`${api.baseUrl}/tenants`, origin)
  expect(preflightAnswer.headers.get("access-control-allow-origin")).toBeNull()
  const answer = await api.get("/me", { headers: { origin } })
  expect(answer.headers.get("access-control-allow-origin")).toBeNull()
})
