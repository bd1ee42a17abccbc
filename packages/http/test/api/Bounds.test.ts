/**
 * The bounds of requests: of JSON bodies and forms, before they are decoded, and of URLs.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as OpenApiDocument from "../../src/contract/OpenApiDocument.ts"
import { expectProblem, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

type Json = { readonly [name: string]: unknown }

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

const document = OpenApiDocument.make()

/** The schema that a `$ref` names. */
const resolve = (schema: Json): Json => {
  const name = String(schema["$ref"]).replace("#/components/schemas/", "")
  const schemas: { readonly [name: string]: unknown } = document.components.schemas
  const found = schemas[name]
  if (!isJson(found)) throw new Error(`The document has no ${name}.`)
  return found
}

const keywords = ["anyOf", "oneOf", "allOf"] as const

/** Whether a schema names all its values. */
const isClosed = (schema: Json): boolean => "enum" in schema || "const" in schema

/** Returns the paths of all arrays, records and texts of a schema that have no bound. */
const unbounded = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (!isJson(schema)) return []
  if ("$ref" in schema) return unbounded(resolve(schema), path)
  const { items, maxItems, maxLength, maxProperties, properties, type } = schema
  const fields = isJson(properties) ? Object.entries(properties) : []
  const isOpen =
    (type === "array" && maxItems === undefined) ||
    (type === "object" && properties === undefined && maxProperties === undefined) ||
    (type === "string" && maxLength === undefined && schema["format"] !== "binary" && !isClosed(schema))
  return [
    ...(isOpen ? [`${path}: ${String(type)}`] : []),
    ...unbounded(items, `${path}/*`),
    ...fields.flatMap(([name, field]) => unbounded(field, `${path}/${name}`)),
    ...keywords.flatMap((keyword) => {
      const members = schema[keyword]
      return Array.isArray(members) ? members.flatMap((member) => unbounded(member, path)) : []
    })
  ]
}

const operations = Object.values(document.paths).flatMap((item) =>
  Object.values(item).flatMap((one) => ("operationId" in one ? [one] : []))
)

describe("bounds of the contract", () => {
  it("every array, record and text of a JSON body → a bound", () => {
    const bodies = operations.flatMap(({ operationId, requestBody }) =>
      unbounded(requestBody?.content["application/json"]?.schema, operationId)
    )
    expect(bodies).toEqual([])
    expect(unbounded({ $ref: "#/components/schemas/CreateFile" }, "part")).toEqual([])
  })

  it("every array in a query → a bound", () => {
    const arrays = operations.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, schema }) =>
        isJson(schema) && schema["type"] === "array" && !("maxItems" in schema) ? [`${operationId} ${name}`] : []
      )
    )
    expect(arrays).toEqual([])
  })
})

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

describe("bounds of requests", () => {
  let server: TestServer.TestServer
  let files: string
  let file: string
  beforeAll(async () => {
    server = await TestServer.start()
    const bucket = await server.makeBucket()
    files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    file = (await server.makeFile(bucket)).path
  })
  afterAll(() => server.close())

  const headers = { "content-type": "application/json" }
  const post = (path: string, body: NonNullable<RequestInit["body"]>) => server.post(path, { body, headers })

  const expectFault = async (response: Response, pointer: string, detail: RegExp) => {
    const { errors } = await expectProblem(response, 400, "invalid_request")
    expect(errors).toEqual([{ pointer, detail: expect.stringMatching(detail) }])
  }

  it("more items than the bound → 400 with one fault, whatever the items are", async () => {
    const bulk = (count: number) => `{"bulk":[${Array.from({ length: count }, () => "{}").join(",")}]}`
    await expectFault(await post(`${file}/headers/bulk`, bulk(65)), "/bulk", /at most 64 items/)
    await expectFault(await post(`${file}/headers/bulk`, bulk(8000)), "/bulk", /at most 64 items/)
    await expectFault(await post(`${file}/headers/bulk`, bulk(300_000)), "", /at most 16384 values/)
    const form = new FormData()
    form.append("body", `{"name":"a","headers":[${"{},".repeat(64)}{}]}`)
    form.append("file", new Blob(["x"]))
    await expectFault(await server.post(`${files}/upload`, { body: form }), "/headers", /at most 64 items/)
  })

  it("more faults than 100 → the first 100, and the number of the others", async () => {
    const problem = await expectProblem(
      await post(`${file}/headers/bulk`, `{"bulk":[${"{},".repeat(63)}{}]}`),
      400,
      "invalid_request"
    )
    expect(pointers(problem)).toHaveLength(100)
    expect(problem.detail).toMatch(/28 more/)
  })

  it("64 levels of nesting → accepted; more, up to 5,000 → 400", async () => {
    const body = (levels: number, name: string) => `{"name":"${name}","metadata":${nested(levels)}}`
    expect((await post(files, body(63, "deep"))).status).toBe(201)
    for (const levels of [64, 5000]) {
      await expectFault(await post(files, body(levels, "deeper")), "", /at most 64 levels/)
      const form = new FormData()
      form.append("body", body(levels, "deeper"))
      form.append("file", new Blob(["x"]))
      await expectFault(await server.post(`${files}/upload`, { body: form }), "/body", /at most 64 levels/)
    }
    await expectFault(await post(`${file}/streams/hls`, "[".repeat(1024 * 1024)), "", /at most 64 levels/)
  })

  it("brackets, commas and colons within texts → not counted", async () => {
    const metadata = { text: `${"[{".repeat(100)}\\"`, [`${",:".repeat(5000)}`]: '"' }
    expect((await server.post(files, { json: { name: "texts", metadata } })).status).toBe(201)
  })

  it("members of one object above 4,096 → 400", async () => {
    const members = Array.from({ length: 4097 }, (_, index) => `"${index}":0`).join(",")
    await expectFault(await post(files, `{"name":"many","metadata":{${members}}}`), "", /at most 4096 members/)
    const fewer = Object.fromEntries(Array.from({ length: 2049 }, (_, index) => [index, 0]))
    await expectFault(
      await server.post(files, { json: { name: "many", metadata: fewer } }),
      "/metadata",
      /at most 2048 members/
    )
  })

  it("body that is not UTF-8 → 400", async () => {
    const body = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from([0xff]), Buffer.from('"}')])
    await expectFault(await post(files, body), "", /UTF-8/)
    const form = new FormData()
    form.append("body", new Blob([body]))
    form.append("file", new Blob(["x"]))
    const sent = await server.post(`${files}/upload`, { body: form })
    expect(sent.status).toBe(400)
  })

  it("name of very many combining marks → 400 without normalising it", async () => {
    const name = "\u0315\u0300".repeat(250_000)
    await expectFault(await server.post(files, { json: { name } }), "/name", /at most 255 bytes/)
    await expectFault(await server.post(files, { json: { name: "a", path: name } }), "/path", /at most 1024 bytes/)
    expect((await server.post(files, { json: { name: "e\u0301".repeat(127) } })).status).toBe(201)
  })

  it("query with more than 100 parameters, or an array above its bound → 400", async () => {
    const list = (query: string) => server.get(`${files}?${query}`)
    expect((await list("expands=SIZE&".repeat(16).slice(0, -1))).status).toBe(200)
    await expectProblem(await list("expands=SIZE&".repeat(17).slice(0, -1)), 400, "invalid_request")
    await expectProblem(await list("expands=SIZE&".repeat(1000)), 400, "invalid_request")
    await expectProblem(await list("apiKey=&".repeat(1500)), 400, "invalid_request")
  })

  it("URL with NUL or with bytes that are not UTF-8 → 400", async () => {
    await expectProblem(await server.get(`${files}?name=%ff`), 400, "invalid_request")
    await expectProblem(await server.get(`${files}/@a%00b`), 400, "invalid_request")
    await expectProblem(await server.get(`${files}?cursor=a%00b`), 400, "invalid_request")
    expect((await server.get(`${files}?name=100%`)).status).toBe(200)
    expect((await server.get(`${files}?name=%C3%A9`)).status).toBe(200)
  })

  it("cursor with NUL → 400", async () => {
    const cursor = Buffer.from(JSON.stringify({ path: "/\0", name: "a" })).toString("base64url")
    await expectProblem(await server.get(`${files}?cursor=${cursor}`), 400, "invalid_cursor")
  })
})
