import { describe, expect, it } from "vitest"
import * as Bucket from "../support/Bucket.ts"

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

describe("with an allowed origin", () => {
  it("answers preflights, and lets pages read responses, errors and contents", async () => {
    const bucket = await Bucket.start({ env: { HOLDFAST_CORS_ORIGINS: `${origin}, https://other.example.com` } })
    const path = await Bucket.put(bucket, "a.bin", new Uint8Array(200_000))
    const { api } = bucket

    const asked = await preflight(`${api.baseUrl}/tenants`, origin)
    expect(asked.status).toBe(204)
    expect(asked.headers.get("access-control-allow-origin")).toBe(origin)
    expect(asked.headers.get("access-control-allow-methods")).toContain("POST")
    expect(asked.headers.get("access-control-allow-headers")).toBe("content-type, x-api-key")
    expect(asked.headers.get("access-control-max-age")).not.toBeNull()
    expect(asked.headers.get("vary")).toContain("Origin")
    expect(asked.headers.get("x-request-id")).not.toBeNull()

    const small = { range: "bytes=0-9" }
    for (const headers of [{ origin }, { origin, ...small }]) {
      const content = await api.get(`${path}/view`, { headers })
      expect(content.ok).toBe(true)
      expect(content.headers.get("access-control-allow-origin")).toBe(origin)
      expect(content.headers.get("vary")).toContain("Origin")
      for (const name of ["ETag", "Location", "Content-Range", "X-Request-Id"]) {
        expect(content.headers.get("access-control-expose-headers")).toContain(name)
      }
      await content.arrayBuffer()
    }

    const denied = await api.get("/me", { key: null, headers: { origin } })
    expect(denied.status).toBe(401)
    expect(denied.headers.get("access-control-allow-origin")).toBe(origin)
    expect(denied.headers.get("access-control-allow-credentials")).toBeNull()
  })

  it("allows no other origin", async () => {
    const { api } = await Bucket.start({ env: { HOLDFAST_CORS_ORIGINS: origin } })
    const asked = await preflight(`${api.baseUrl}/tenants`, "https://evil.example.com")
    expect(asked.headers.get("access-control-allow-origin")).toBeNull()
    const answer = await api.get("/me", { headers: { origin: "https://evil.example.com" } })
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    expect(answer.headers.get("vary")).toContain("Origin")
  })
})

it("any origin may be allowed", async () => {
  const { api } = await Bucket.start({ env: { HOLDFAST_CORS_ORIGINS: "*" } })
  const answer = await api.get("/me", { headers: { origin } })
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
})

it("none is allowed by default", async () => {
  const { api } = await Bucket.start()
  const asked = await preflight(`${api.baseUrl}/tenants`, origin)
  expect(asked.headers.get("access-control-allow-origin")).toBeNull()
  const answer = await api.get("/me", { headers: { origin } })
  expect(answer.headers.get("access-control-allow-origin")).toBeNull()
})
