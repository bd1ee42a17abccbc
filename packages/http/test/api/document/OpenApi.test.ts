import { Validator } from "@seriousme/openapi-schema-validator"
import * as TargetTypes from "@holdfast/core/mirrors/targets/types/TargetTypes"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as OpenApi from "effect/http-api/OpenApi"
import { describe, expect, it } from "vitest"
import { Api } from "../../../src/contract/Api.ts"
import * as OpenApiDocument from "../../../src/contract/OpenApiDocument.ts"
import { entryOf, isCode } from "../../../src/problems/ProblemTable.ts"

const document = OpenApiDocument.make()

interface Described extends OpenApi.OpenAPISpecOperation {
  readonly path: string
  readonly method: string
}

const operations: ReadonlyArray<Described> = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, one]) => ("operationId" in one ? [{ ...one, path, method }] : []))
)

const operation = (id: string): Described => {
  const found = operations.find(({ operationId }) => operationId === id)
  if (found === undefined) throw new Error(`The document has no ${id}.`)
  return found
}

type Expectation = readonly [id: string, statuses: ReadonlyArray<number>]

/** The statuses of every operation: errors of authentication and of the service. */
const common = [400, 401, 403, 429, 500, 503, 507]
/** In addition, the status of operations that respond with JSON. */
const reading = [...common, 406]
/** In addition, the statuses of operations that accept JSON. */
const writing = [...reading, 413, 415]

const statuses: ReadonlyArray<Expectation> = [
  ["identity.me", [200, ...reading]],
  ["identity.roles", [200, ...reading]],
  ["identity.tenantRoles", [200, ...reading]],
  ["memberships.invitations", [200, ...reading]],
  ["memberships.accept", [200, 404, 409, ...reading]],
  ["memberships.leave", [204, 404, 409, ...common]],
  ["tenants.create", [201, 409, ...writing]],
  ["tenants.list", [200, ...reading]],
  ["tenants.get", [200, 404, ...reading]],
  ["tenants.usage", [200, 404, ...reading]],
  ["tenants.update", [200, 404, 409, ...writing]],
  ["tenants.remove", [204, 404, 409, ...common]],
  ["members.add", [201, 404, 409, ...writing]],
  ["members.list", [200, ...reading]],
  ["members.get", [200, 404, ...reading]],
  ["members.update", [200, 404, 409, ...writing]],
  ["members.remove", [204, 404, 409, ...common]],
  ["tokens.create", [201, ...writing]],
  ["tokens.list", [200, ...reading]],
  ["tokens.get", [200, 404, ...reading]],
  ["tokens.revoke", [204, 404, ...common]],
  ["tokens.createS3Credentials", [201, 404, ...reading]],
  ["tokens.getS3Credentials", [200, 404, ...reading]],
  ["tokens.revokeS3Credentials", [204, 404, ...common]],
  ["buckets.create", [201, 404, 409, ...writing]],
  ["buckets.list", [200, ...reading]],
  ["buckets.get", [200, 404, ...reading]],
  ["buckets.usage", [200, 404, ...reading]],
  ["buckets.update", [200, 404, 409, ...writing]],
  ["buckets.remove", [204, 404, 409, ...common]],
  ["files.reserve", [201, 404, 409, ...writing]],
  ["files.list", [200, 404, ...reading]],
  ["files.exists", [200, 404, ...reading]],
  ["files.get", [200, 404, ...reading]],
  ["files.update", [200, 404, 409, ...writing]],
  ["files.move", [200, 404, 409, 412, 422, ...writing]],
  ["files.copy", [201, 404, 409, 412, 422, ...writing]],
  ["files.moveMany", [200, 404, 409, 422, ...writing]],
  ["files.removeMany", [204, 404, 422, ...writing]],
  ["folders.move", [200, 202, 404, 409, ...writing]],
  ["folders.remove", [200, 202, 404, 422, ...writing]],
  ["folders.job", [200, 404, ...reading]],
  ["folders.cancel", [200, 404, ...reading]],
  ["files.signedUrl", [200, 404, ...writing]],
  ["files.remove", [204, 404, 412, 422, ...common]],
  ["headers.set", [201, 404, ...writing]],
  ["headers.setAll", [201, 404, ...writing]],
  ["headers.list", [200, 404, ...reading]],
  ["headers.remove", [204, 404, ...common]],
  ["contents.uploadUrl", [200, 404, ...writing]],
  ["contents.upload", [200, 201, 404, 408, 409, 410, 412, 422, ...writing]],
  ["contents.put", [200, 201, 404, 408, 409, 410, 412, 422, ...writing]],
  ["contents.reupload", [200, 404, 408, 412, 422, ...writing]],
  ["uploads.list", [200, 404, 412, ...reading]],
  ["uploads.create", [201, 404, 408, 409, 410, 412, 413, 415, 422, ...common]],
  ["uploads.get", [200, 204, 404, 408, 409, 410, 412, 413, 415, 422, ...common]],
  ["uploads.append", [200, 204, 404, 408, 409, 410, 412, 413, 415, 422, ...common]],
  ["uploads.override", [200, 204, 404, 408, 409, 410, 412, 413, 415, 422, ...common]],
  ["uploads.remove", [204, 404, 412, ...common]],
  ["shares.create", [201, 404, ...writing]],
  ["shares.update", [200, 404, ...writing]],
  ["shares.list", [200, 404, ...reading]],
  ["shares.get", [200, 404, ...reading]],
  ["shares.remove", [204, 404, ...common]],
  ["mirrors.create", [201, 404, 409, 422, ...writing]],
  ["mirrors.update", [200, 404, 422, ...writing]],
  ["mirrors.list", [200, 404, ...reading]],
  ["mirrors.get", [200, 404, ...reading]],
  ["mirrors.files", [200, 404, ...reading]],
  ["mirrors.sync", [202, 404, ...reading]],
  ["mirrors.remove", [204, 404, ...common]],
  ["webhooks.create", [201, 422, ...writing]],
  ["webhooks.list", [200, ...reading]],
  ["webhooks.get", [200, 404, ...reading]],
  ["webhooks.update", [200, 404, ...writing]],
  ["webhooks.remove", [204, 404, ...common]],
  ["webhooks.rotate", [200, 404, 422, ...reading]],
  ["webhooks.test", [202, 404, 409, 422, ...reading]],
  ["webhooks.recover", [202, 404, ...writing]],
  ["webhooks.deliveries", [200, 404, ...reading]],
  ["webhooks.delivery", [200, 404, ...reading]],
  ["webhooks.replay", [202, 404, ...reading]],
  ["events.list", [200, ...reading]],
  ["events.export", [200, ...common]],
  ["streams.requestHls", [200, 202, 404, 413, 415, 422, ...reading]],
  ["streams.requestDash", [200, 202, 404, 413, 415, 422, ...reading]],
  ["streams.hlsKey", [200, 404, 413, 415, 422, ...reading]],
  ["streams.dashKey", [200, 404, 413, 415, 422, ...reading]],
  ["streams.removeHls", [204, 404, ...common]],
  ["streams.removeDash", [204, 404, ...common]],
  ["captions.attach", [201, 404, 422, ...writing]],
  ["captions.list", [200, 404, ...reading]],
  ["captions.remove", [204, 404, ...common]],
  ["posters.set", [200, 404, 422, ...writing]],
  ["posters.reset", [204, 404, ...common]],
  ["playback.list", [200, 404, ...common]],
  ["playback.hlsPlayer", [200, 404, 422, ...common]],
  ["playback.dashPlayer", [200, 404, 422, ...common]],
  ["playback.playlist", [200, 304, 404, 422, ...common]],
  ["playback.manifest", [200, 304, 404, 422, ...common]],
  ["playback.hlsFile", [200, 206, 304, 404, 412, 416, 422, ...common]],
  ["playback.hlsRenditionFile", [200, 206, 304, 404, 412, 416, 422, ...common]],
  ["playback.dashFile", [200, 206, 304, 404, 412, 416, 422, ...common]],
  ["playback.poster", [200, 206, 304, 404, 412, 416, 422, ...common]],
  ["reading.view", [200, 206, 304, 404, 410, 412, 416, ...common]],
  ["reading.download", [200, 206, 304, 404, 410, 412, 416, ...common]]
]

describe("OpenAPI document", () => {
  it("the whole document → valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(structuredClone({ ...document }))
    expect(result).toEqual({ valid: true })
    expect(document.openapi).toBe("3.1.0")
  })

  it("operations → exactly those of the contract", () => {
    const declared: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => declared.push(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`)
    })
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
      declared.toSorted()
    )
    expect(statuses.map(([id]) => id).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted())
  })

  it.each(statuses)("%s → its statuses", (id, expected) => {
    expect(Object.keys(operation(id).responses).map(Number)).toEqual(expected.toSorted((a, b) => a - b))
  })

  it("every operation → a summary, a tag, the permission and the places of the key", () => {
    for (const { description = "", operationId, security, summary, tags, ...rest } of operations) {
      expect(summary, operationId).toMatch(/./)
      expect(document.tags.map(({ name }) => name)).toContain(tags[0])
      expect(security).toEqual([{ query: [] }, { bearer: [] }, { header: [] }])
      const permission = "x-permission" in rest ? rest["x-permission"] : undefined
      // Memberships are the account's own, whatever its role in the tenant is.
      if (rest.path.includes("/tenants/{tenantId}")) expect(description).toContain(`\`${permission}\``)
    }
    expect(Object.values(document.components.securitySchemes)).toEqual([
      expect.objectContaining({ type: "apiKey", in: "query", name: "apiKey" }),
      expect.objectContaining({ type: "http", scheme: "bearer" }),
      expect.objectContaining({ type: "apiKey", in: "header", name: "X-Api-Key" })
    ])
  })

  it("problems that the draft for resumable uploads types otherwise → both types", () => {
    const typesOf = (code: string) => Object(document.components.schemas[`Problem_${code}`]).properties.type
    const registry = "https://iana.org/assignments/http-problem-types"
    expect(typesOf("invalid_request")).toEqual({
      enum: [
        "urn:holdfast:problem:invalid_request",
        `${registry}#completed-upload`,
        `${registry}#inconsistent-upload-length`
      ]
    })
    expect(typesOf("offset_mismatch").enum).toContain(`${registry}#mismatching-upload-offset`)
  })

  it("every problem → its status, code and schema", () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const problem = content["application/problem+json"]
        expect(problem !== undefined, `${operationId} ${status}`).toBe(Number(status) >= 400)
        for (const [, code] of JSON.stringify(problem ?? {}).matchAll(/Problem_(\w+)"/g)) {
          expect(isCode(code) && entryOf(code).status).toBe(Number(status))
        }
      }
    }
    expect(document.components.schemas["Problem_file_exists"]).toMatchObject({
      properties: { code: { const: "file_exists" }, status: { const: 409 }, existingId: { type: "string" } },
      required: ["type", "title", "status", "detail", "code", "requestId"]
    })
  })

  it("responses → their headers", () => {
    const headersOf = (id: string, status: number) => Object.keys(operation(id).responses[status]?.headers ?? {})
    for (const { operationId, responses } of operations) {
      for (const status of Object.keys(responses))
        expect(headersOf(operationId, Number(status))).toContain("X-Request-Id")
      expect(headersOf(operationId, 401)).toContain("WWW-Authenticate")
      expect(headersOf(operationId, 503)).toContain("Retry-After")
    }
    expect(headersOf("buckets.create", 201)).toContain("Location")
    const content = ["Accept-Ranges", "Content-Disposition", "ETag", "Last-Modified", "X-Content-Type-Options"]
    expect(headersOf("reading.view", 200)).toEqual(expect.arrayContaining(content))
    expect(headersOf("reading.download", 206)).toEqual(expect.arrayContaining([...content, "Content-Range"]))
    expect(headersOf("reading.view", 416)).toContain("Content-Range")
  })

  it("parameters → their types", () => {
    const parameters = operation("files.list").parameters.map(({ in: place, name, schema }) => [place, name, schema])
    expect(parameters).toContainEqual(["query", "limit", { type: "integer", minimum: 1, maximum: 1000, default: 100 }])
    expect(parameters).toContainEqual(["query", "recursive", { type: "boolean", default: false }])
    expect(parameters).toContainEqual([
      "query",
      "expands",
      { type: "array", items: { type: "string", enum: ["SIZE", "TYPE"] }, maxItems: 16 }
    ])
    const names = operation("reading.view").parameters.map(({ in: place, name }) => `${place} ${name}`)
    expect(names).toEqual(expect.arrayContaining(["header Range", "header If-None-Match", "path fileId"]))
  })

  it("streams → their media types; conversion → an optional body", () => {
    expect(operation("streams.requestHls").requestBody).toMatchObject({ required: false })
    const typesOf = (id: string, status = 200) => Object.keys(operation(id).responses[status]?.content ?? {})
    expect(typesOf("playback.playlist")).toEqual(["application/vnd.apple.mpegurl"])
    expect(typesOf("playback.manifest")).toEqual(["application/dash+xml"])
    expect(typesOf("playback.hlsFile", 206)).toEqual([
      "video/mp2t",
      "application/vnd.apple.mpegurl",
      "multipart/byteranges"
    ])
    expect(typesOf("playback.dashFile")).toEqual(["video/mp4"])
    expect(typesOf("playback.poster")).toEqual(["image/jpeg"])
    expect(typesOf("playback.hlsPlayer")).toEqual(["text/html"])
  })

  it("mirrors → one schema for each type; secrets → writeOnly, in no response", () => {
    const { CreateMirror, CreateMirror_SERVICE, Mirror, Mirror_CLOUD_A, MirrorFile } = document.components.schemas
    const types = (schema: unknown) =>
      Object.keys((schema as { discriminator: { mapping: object } }).discriminator.mapping).toSorted()
    expect(types(Mirror)).toEqual(TargetTypes.all.map(({ wireName }) => wireName).toSorted())
    expect(types(CreateMirror)).toEqual(TargetTypes.inputNames.toSorted())
    expect(types(CreateMirror)).toEqual(expect.arrayContaining(["CLOUD_A", "S3", "SERVICE"]))
    expect(CreateMirror_SERVICE).toMatchObject({
      properties: { type: { enum: ["SERVICE"] }, apiKey: { type: "string", format: "password", writeOnly: true } },
      required: ["name", "type", "serviceTenantId", "serviceBucketId", "apiKey"]
    })
    expect(JSON.stringify([Mirror, Mirror_CLOUD_A])).not.toMatch(/secret|password/i)
    expect(MirrorFile).toMatchObject({
      properties: { pendingSince: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] } }
    })
    const parameters = operation("mirrors.create").parameters.map(({ in: place, name, schema }) => [
      place,
      name,
      schema
    ])
    expect(parameters).toContainEqual(["query", "verify", { type: "boolean", default: true }])
  })

  it("bodies → the fields and types of the JSON", () => {
    expect(operation("contents.upload").requestBody?.content["multipart/form-data"]?.schema).toMatchObject({
      properties: { file: { format: "binary" }, body: { type: "string", contentMediaType: "application/json" } },
      required: ["file"]
    })
    expect(Object.keys(operation("contents.reupload").requestBody?.content ?? {})).toContain("application/octet-stream")
    const { CreateFile, File } = document.components.schemas
    expect(CreateFile).toMatchObject({
      properties: { path: { type: "string" }, alias: { anyOf: [{ type: "string" }, { type: "null" }] } },
      required: ["name"]
    })
    expect(File).toMatchObject({ properties: { createdAt: { type: "string", format: "date-time" } } })
    expect(JSON.stringify(document)).not.toMatch(/additionalProperties|x-effect|Encoded/)
  })
})
