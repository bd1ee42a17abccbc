/**
 * Keys in places where they do not belong: no output of the service contains them.
 */
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import * as Logging from "../../src/server/startup/Logging.ts"
import * as MaskKeys from "@holdfast/core/secrets/MaskKeys"
import * as Collector from "../support/Collector.ts"
import * as RawHttp from "../support/RawHttp.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

const playbackKey = `hfp_${"aZ09_-".repeat(18)}`
const linkKey = `hfl_${"_-90Za".repeat(18)}`
const uploadKey = `hfu_${"Za_-90".repeat(18)}`

const percentEncoded = (key: string): string =>
  Array.from(key, (character) => `%${character.charCodeAt(0).toString(16)}`).join("")

/** Requests with a key in many places, by path and headers. */
const requestsWith = (key: string, files: string): ReadonlyArray<readonly [path: string, headers?: string]> => [
  [`/${key}`],
  [`/api/v1/tenants/${key}/buckets`],
  [`/api/v1${files}/${key}/view`],
  [`/api/v1${files}/@${key}`],
  [`/api/v1/me;apiKey=${key}`],
  [`/api/v1/me;${key}?apiKey=${key}`],
  [`/api/v1/me/apiKey=${key}`],
  [`/api/v1/me&apiKey=${key}`],
  [`/api/v1/me#apiKey=${key}`],
  [`/api/v1/me?key=${key}&token=${key}&apikey=${key}&api_key=${key}`],
  [`/api/v1/me?${key}`],
  [`/api/v1${files}?cursor=${key}&limit=${key}&path=${key}`],
  [`/api/v1/${percentEncoded(key)}`],
  [`/api/v1/%68f_${key.slice(key.indexOf("_") + 1)}?x=%68f_${key.slice(key.indexOf("_") + 1)}`],
  [`/${"x".repeat(2030)}${key}`],
  ["/api/v1/me", `X-Request-Id: ${key}`],
  ["/api/v1/me", `X-Request-Id: a=${key}`],
  ["/api/v1/me", `User-Agent: ${key}`],
  ["/api/v1/me", `Referer: http://a/?apiKey=${key}`],
  ["/api/v1/me", `Authorization: Basic ${key}`],
  ["/api/v1/me", `Cookie: apiKey=${key}`],
  ["/api/v1/me", `Traceparent: 00-${key}-0000000000000001-01`],
  ["/api/v1/me", `Origin: ${key}`]
]

describe("misplaced keys", () => {
  it("key in paths, queries, ids and agents → in no log line, trace, metric, answer header or problem", async () => {
    const collector = await Collector.start()
    const bucket = await ServiceBucket.start({
      env: { HOLDFAST_OTLP_ENDPOINT: collector.url, HOLDFAST_LOG_LEVEL: "trace", HOLDFAST_OPERATOR_PORT: "0" }
    })
    const { api, files, key, service } = bucket
    const [, operator = ""] = /for operators on (http:\/\/[^\s"]+)/.exec(service.stdout()) ?? []
    const [beforeTour = ""] = service.stdout().split("This is the first start.")
    const tourEnd = service.stdout().length
    const secrets = [key, playbackKey, linkKey, uploadKey].flatMap((secret) => [
      secret.slice(4, 24),
      percentEncoded(secret.slice(secret.indexOf("_") + 1)).slice(0, 60)
    ])
    const expectNone = (text: string, where: string) => {
      for (const secret of secrets) expect(text.toLowerCase().includes(secret.toLowerCase()), where).toBe(false)
    }
    for (const secret of [key, playbackKey, linkKey, uploadKey]) {
      for (const [path, headers] of requestsWith(secret, files)) {
        for (const method of ["GET", "POST"]) {
          const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\n${headers === undefined ? "" : `${headers}\r\n`}`
          const request = `${head}Content-Length: 0\r\nConnection: close\r\n\r\n`
          for (const url of [service.url, operator])
            expectNone(await RawHttp.sendRaw(url, request), `${method} ${path}`)
        }
      }
      // Values and names of a body, which problems name.
      for (const json of [
        { name: secret, path: secret, alias: secret },
        { name: "a", headers: [{ name: secret, value: secret }] }
      ]) {
        expectNone(await (await api.post(files, { json })).text(), "problem")
      }
    }
    const metrics = await (await fetch(`${operator}/metrics`)).text()
    expectNone(metrics, "metrics")
    await service.stop()
    expectNone(beforeTour + service.stdout().slice(tourEnd), "access log")
    expectNone(service.stderr(), "log")
    expect(collector.sent.length).toBeGreaterThan(0)
    for (const { body, path } of collector.sent) expectNone(body, path)
    expect(service.stdout().slice(tourEnd)).toContain("/hf_***")
    expect(service.stdout().slice(tourEnd)).toContain("/hfp_***")
    expect(service.stdout().slice(tourEnd)).toContain("/hfl_***")
    expect(service.stdout().slice(tourEnd)).toContain("/hfu_***")
  }, 60_000)

  it("path of 15 KiB → 2 KiB of it in the access log", async () => {
    const { service } = await ServiceBucket.start()
    const get = (path: string) =>
      new Promise<void>((resolve, reject) => {
        Http.get(service.url + path, (response) => response.resume().once("end", resolve)).once("error", reject)
      })
    await get(`/${"long-".repeat(3000)}`)
    await get(`/short?${"long-".repeat(3000)}`)
    await service.stop()
    const lines = service
      .stdout()
      .split("\n")
      .filter((line) => line.includes('"/long-') || line.includes('"/short'))
    expect(lines).toHaveLength(2)
    const paths = lines.map((line) => (JSON.parse(line) as { readonly path: string }).path)
    expect(paths.map((path) => Buffer.byteLength(path) <= 2048 + 3)).toEqual([true, true])
    expect(paths[0]).toMatch(/^\/long-.*…$/)
    expect(paths[1]).toBe("/short")
  })

  it.each(["json", "pretty"] as const)("log as %s: error that quotes a URL with a key → masked", async (logFormat) => {
    const key = `hf_${"aZ09_-x".repeat(7)}`
    const printed: Array<string> = []
    const error = vi.spyOn(console, "error").mockImplementation((...items: ReadonlyArray<unknown>) => {
      printed.push(items.join(" "))
    })
    onTestFinished(() => error.mockRestore())
    await Effect.logError("request failed", new Error(`GET /me?apiKey=${key}`)).pipe(
      Effect.annotateLogs({ url: `/${key}` }),
      Effect.provide(Logging.layer({ logFormat, logLevel: "Info" })),
      Effect.runPromise
    )
    expect(printed.join("\n")).toContain("request failed")
    expect(printed.join("\n")).toContain("hf_***")
    expect(printed.join("\n")).not.toContain(key.slice(3, 20))
  })
})

describe("MaskKeys", () => {
  it.each([
    ["/me", "/me"],
    ["/half_hf_short", "/half_hf_short"],
    [`a hf_${"x".repeat(49)} b`, "a hf_*** b"],
    [`hf_${"x".repeat(16)}`, "hf_***"],
    [`hfp_${"-".repeat(92)}/hf_${"_".repeat(49)}`, "hfp_***/hf_***"],
    [`/x?apiKey=%68%66%6C_${"a".repeat(78)}`, "/x?apiKey=hfl_***"],
    [`%48%46%5f${"%61".repeat(49)}`, `%48%46%5f${"%61".repeat(49)}`],
    [`%68%66%5F${"%61".repeat(49)}`, "hf_***"],
    [`h%66_${"a".repeat(49)}`, "hf_***"]
  ])("mask: %j → %j", (text, masked) => {
    expect(MaskKeys.mask(text)).toBe(masked)
    expect(MaskKeys.containsKey(text)).toBe(text !== masked)
  })
})
