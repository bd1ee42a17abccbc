/**
 * The player's assets over HTTP.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { createHash } from "node:crypto"
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as AssetFiles from "../../src/players/AssetFiles.ts"
import * as ContentCodings from "../../src/transfer/response/ContentCodings.ts"
import * as PlayerServer from "./support/PlayerServer.ts"

let server: PlayerServer.PlayerServer
beforeAll(async () => {
  server = await PlayerServer.make()
})
afterAll(() => server.close())

const files = (() => {
  const { modules, shareModules, ...single } = AssetFiles.load()
  return [...modules, ...shareModules, ...Object.values(single)]
})()

interface Answer {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | ReadonlyArray<string>>
  readonly body: Buffer
}

/** Sends a request without the headers that `fetch` adds. */
const send = (name: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(`${server.url}/api/v1/players/${name}`, { method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) })
      )
    })
    sent.on("error", reject).end()
  })

it.each(files.map((file) => [file.name.replace(/-[\w-]{16}\./, "."), file] as const))(
  "GET %s → immutable, in each accepted encoding, with its own entity tag",
  async (_, { content, contentType, name }) => {
    const plain = await send(name)
    expect(plain.status).toBe(200)
    expect(plain.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-length": String(Buffer.byteLength(content)),
      "content-type": contentType,
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff"
    })
    expect(plain.body.toString()).toBe(content)

    const brotli = await send(name, { "accept-encoding": "gzip, deflate, br" })
    expect(brotli.headers["content-encoding"]).toBe("br")
    expect(brotliDecompressSync(brotli.body).toString()).toBe(content)
    const zipped = await send(name, { "accept-encoding": "gzip" })
    expect(zipped.headers["content-encoding"]).toBe("gzip")
    expect(gunzipSync(zipped.body).toString()).toBe(content)
    expect(new Set([plain, brotli, zipped].map(({ headers }) => headers["etag"])).size).toBe(3)

    const head = await send(name, { "accept-encoding": "gzip" }, "HEAD")
    expect(head.status).toBe(200)
    expect(head.body.length).toBe(0)
    expect(head.headers["content-length"]).toBe(String(zipped.body.length))
    const cached = await send(name, { "accept-encoding": "gzip", "if-none-match": String(zipped.headers["etag"]) })
    expect(cached.status).toBe(304)
    expect(cached.body.length).toBe(0)
    expect((await send(name, { "if-none-match": String(zipped.headers["etag"]) })).status).toBe(200)
  }
)

it.each([
  "Player.js",
  "hls-aaaaaaaaaaaaaaaa.js",
  "..%2f..%2fPlayerPage.ts",
  "%2e%2e",
  "Apache-2.0.txt",
  "tsconfig.json"
])("GET %s → 404", async (name) => {
  const { body, headers, status } = await send(name)
  expect(status).toBe(404)
  expect(headers["content-type"]).toBe("application/problem+json")
  expect(JSON.parse(body.toString())).toMatchObject({ code: "not_found" })
})

it("POST → 405", async () => {
  const { headers, status } = await send(files[0]?.name ?? "", {}, "POST")
  expect(status).toBe(405)
  expect(headers["allow"]).toBe("GET, HEAD")
})

it("name of a file → contains the hash of its content", () => {
  for (const { content, name } of [AssetFiles.load().style, AssetFiles.load().hls, AssetFiles.load().dash]) {
    expect(name).toContain(createHash("sha256").update(content).digest("base64url").slice(0, 16))
  }
})

it("modules → import each other by the served names", () => {
  const { modules, script } = AssetFiles.load()
  const names = new Set([...modules, script].map(({ name }) => name))
  const imported = [...modules, script].flatMap(({ content }) =>
    [...content.matchAll(/^import .* from "\.\/(.+)"$/gm)].map(([, name = ""]) => name)
  )
  expect(imported.length).toBeGreaterThan(5)
  expect(imported.filter((name) => !names.has(name))).toEqual([])
})

it("libraries → refer to the licences, which contain the required texts", async () => {
  const { dash, hls, licences } = AssetFiles.load()
  expect(hls.content.slice(0, 200)).toContain(licences.name)
  expect(dash.content.slice(0, 200)).toContain(licences.name)
  for (const words of ["Dailymotion", "Apache License", "TERMS AND CONDITIONS", "Dash Industry Forum", "ieee754"]) {
    expect(licences.content).toContain(words)
  }
})

it.each<[string | undefined, string]>([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip", "gzip"],
  ["GZIP;q=0.5, br;q=0.5", "br"],
  ["br;q=0.1, gzip", "gzip"],
  ["br;q=0, *", "gzip"],
  ["*", "br"],
  ["gzip;q=0, br;q=0", "identity"],
  ["identity", "identity"],
  ["zstd, deflate", "identity"],
  ["br;q=nonsense", "identity"],
  [" gzip ; q=0.5 ,\tbr\t;\tq=0.4 ", "gzip"],
  ["br gzip", "identity"]
])("Accept-Encoding %j → %s", (header, expected) => {
  expect(ContentCodings.choose(header)).toBe(expected)
})

it("Accept-Encoding with a million spaces before a wrong character → ignored", () => {
  const spaces = " ".repeat(1_000_000)
  expect(ContentCodings.choose(`br${spaces}x`)).toBe("identity")
  expect(ContentCodings.choose(`br${spaces};${spaces}x, gzip;${spaces}q=1${spaces}`)).toBe("gzip")
})
