import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MetadataError } from "@holdfast/core/MetadataError"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

describe("internal failures", () => {
  /** How `FileRepository.find` fails. */
  let failure: Effect.Effect<never, MetadataError> = Effect.die("not set")
  let attempts = 0
  const broken = Layer.effect(
    FileRepository,
    Effect.map(FileRepository, (files) =>
      FileRepository.of({
        ...files,
        find: () =>
          Effect.suspend(() => {
            attempts++
            return failure
          })
      })
    )
  ).pipe(Layer.provideMerge(SqliteMetadata.layer({ file: ":memory:" })))

  let server: TestServer.TestServer
  let path: string
  let byId: string
  beforeAll(async () => {
    server = await TestServer.start({ metadata: broken })
    const { bucketId, tenantId } = await server.makeBucket()
    path = `/tenants/${tenantId}/buckets/${bucketId}/files/@x`
    byId = path.replace("@x", "fil_01890a5d-ac96-774b-bcce-b302099a8057")
  })
  afterAll(() => server.close())

  const secret = "postgres://user:hunter2@db.internal"

  it.each(["", "/view", "/reupload"])(
    "defect → 500 without its cause, one log line with the request id (%s)",
    async (below) => {
      failure = Effect.die(new Error(secret))
      const response = await server.request(below === "/reupload" ? "POST" : "GET", path + below)
      const { requestId, ...problem } = await expectProblem(response, 500, "internal")
      expect(JSON.stringify(problem)).not.toMatch(/hunter2|Error:|\.ts/)
      const lines = server.logs.filter((line) => line.includes(requestId))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain("hunter2")
    }
  )

  it("internal failure of the database → 500 without its cause, one log line with the request id", async () => {
    const reason = "Internal" as const
    failure = Effect.fail(new MetadataError({ reason, operation: "Files.find", cause: new Error(secret) }))
    for (const below of ["", "/view"]) {
      const { requestId, ...problem } = await expectProblem(await server.get(path + below), 500, "internal")
      expect(JSON.stringify(problem)).not.toContain("hunter2")
      expect(server.logs.filter((line) => line.includes(requestId) && line.includes("hunter2"))).toHaveLength(1)
    }
  })

  it.each(["Internal", "Timeout"] as const)(
    "database fails (%s) → one attempt, also of reads by id",
    async (reason) => {
      failure = Effect.fail(new MetadataError({ reason, operation: "Files.find" }))
      for (const below of ["", "/view", "/download"]) {
        attempts = 0
        const [byAlias, answer] = [await server.get(path + below), await server.get(byId + below)]
        expect([answer.status, attempts]).toEqual([byAlias.status, 2])
        const expected = { ...((await byAlias.json()) as object), requestId: expect.any(String) }
        expect(await answer.json()).toEqual(expected)
      }
    }
  )

  it("database unavailable → 503 with Retry-After; full → 507", async () => {
    failure = Effect.fail(new MetadataError({ reason: "Unavailable", operation: "Files.find" }))
    for (const below of ["", "/view"]) {
      const response = await server.get(path + below)
      expect(response.headers.get("retry-after")).toMatch(/^\d+$/)
      await expectProblem(response, 503, "unavailable")
    }
    failure = Effect.fail(new MetadataError({ reason: "StorageFull", operation: "Files.find" }))
    await expectProblem(await server.get(path), 507, "storage_full")
  })
})
