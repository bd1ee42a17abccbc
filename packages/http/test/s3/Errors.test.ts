/**
 * The errors of the S3 API, as the AWS SDK reads them.
 */
import { GetObjectCommand, HeadBucketCommand, type S3Client } from "@aws-sdk/client-s3"
import * as Actor from "@holdfast/core/Actor"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as ErrorTable from "../../src/s3/ErrorTable.ts"
import type { Operation } from "../../src/s3/Operation.ts"
import type * as S3App from "../../src/s3/S3App.ts"
import { S3Error } from "../../src/s3/S3Error.ts"
import * as S3Response from "../../src/s3/S3Response.ts"
import * as TestServer from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"

let server: TestServer.TestServer
let s3: Awaited<ReturnType<typeof S3Server.serve>>
let client: S3Client

const refuse = S3Error.of("InvalidAccessKeyId")

/** An operation that answers with a document. */
const listTypes: Operation = {
  name: "GetBucketTypes",
  method: "GET",
  target: "bucket",
  query: { types: true },
  make: Effect.succeed(({ bucket }) => Effect.succeed(S3Response.xml("Types", [["Bucket", bucket]])))
}

beforeAll(async () => {
  server = await TestServer.start()
  const authenticate: S3App.Authenticate = (_, { bucket }) =>
    bucket === "unknown"
      ? Effect.fail(refuse)
      : Effect.succeed({
          actor: Actor.system,
          tenantId: "",
          accessKey: "",
          headers: {},
          openPayload: Effect.fail(refuse),
          readXml: () => Effect.fail(refuse)
        })
  s3 = await S3Server.serve(server, [listTypes], { authenticate })
  client = S3Server.client(s3.url, { accessKeyId: "a", secretAccessKey: "b" })
})

afterAll(async () => {
  client.destroy()
  await s3.close()
  await server.close()
})

it("error document: read by the AWS SDK → its code, status and request id", async () => {
  const error: unknown = await client
    .send(new GetObjectCommand({ Bucket: "unknown", Key: "a<b" }))
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    name: "InvalidAccessKeyId",
    message: refuse.message,
    $metadata: { httpStatusCode: 403, requestId: expect.stringMatching(/^req_/) }
  })
})

it("error: HEAD → the status without a body", async () => {
  const error: unknown = await client
    .send(new HeadBucketCommand({ Bucket: "unknown" }))
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ $metadata: { httpStatusCode: 403 } })
})

it("preflight: no Origin → 400; an origin → 403, since no bucket has CORS", async () => {
  const preflight = async (headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${s3.url}/s3/unknown/a`, { method: "OPTIONS", headers })
    return [answer.status, /<Code>(\w+)</.exec(await answer.text())?.[1]]
  }
  expect(await preflight({})).toEqual([400, "BadRequest"])
  expect(await preflight({ origin: "https://a.example.com" })).toEqual([403, "AccessForbidden"])
})

it("errors of core: not found → the code of the resource", () => {
  const codeOf = (resource: string) => ErrorTable.translate({ code: "not_found", message: "m", resource })?.code
  expect([codeOf("file"), codeOf("bucket"), codeOf("upload")]).toEqual(["NoSuchKey", "NoSuchBucket", "NoSuchUpload"])
  expect(ErrorTable.translate(new Error("other"))).toBeUndefined()
})

it("document of an operation → 200 with the type and the ids of the answer", async () => {
  const answer = await fetch(`${s3.url}/s3/photos?types`, { headers: { "x-request-id": "mine" } })
  expect(answer.headers.get("content-type")).toBe("application/xml")
  expect(answer.headers.get("x-amz-request-id")).toBe("mine")
  expect(await answer.text()).toContain("<Bucket>photos</Bucket>")
})
