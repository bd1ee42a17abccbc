/**
 * A server with S3 credentials, and clients of it.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { S3Client } from "@aws-sdk/client-s3"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { Operation } from "../../src/s3/Operation.ts"
import { PublicUrl } from "../../src/handlers/support/PublicAddress.ts"
import * as S3App from "../../src/s3/S3App.ts"
import * as S3Authentication from "../../src/s3/S3Authentication.ts"
import type * as TestServer from "../support/TestServer.ts"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3Token extends Credentials {
  readonly tokenId: string
  readonly memberId: string
}

const json = async (answer: Response) => {
  const body: unknown = await answer.json()
  if (!answer.ok) throw new Error(JSON.stringify(body))
  return body as { readonly id: string; readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** Creates a member with this role, a token for it, and the S3 credentials of the token. */
export const makeToken = async (
  server: Pick<TestServer.TestServer, "post">,
  tenantId: string,
  {
    role = "Admin",
    ...token
  }: {
    readonly role?: TestServer.RoleName
    readonly scope?: object
    readonly allowedOrigins?: ReadonlyArray<string>
  } = {}
): Promise<S3Token> => {
  const user = { email: `s3-${crypto.randomUUID()}@example.com` }
  const member = await json(await server.post(`/tenants/${tenantId}/members`, { json: { user, role: { name: role } } }))
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const input = { name: "s3", member: { id: member.id }, expiresAt, ...token }
  const { id } = await json(await server.post(`/tenants/${tenantId}/tokens`, { json: input }))
  const { accessKeyId, secretAccessKey } = await json(
    await server.post(`/tenants/${tenantId}/tokens/${id}/s3-credentials`)
  )
  return { tokenId: id, memberId: member.id, accessKeyId, secretAccessKey }
}

/** Makes a client of the AWS SDK, which does not retry. */
export const client = (url: string, { accessKeyId, secretAccessKey }: Credentials): S3Client =>
  new S3Client({
    endpoint: `${url}/s3`,
    region: "us-east-1",
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey }
  })

interface ServeOptions {
  readonly authenticate?: S3App.Authenticate
  readonly path?: string
  readonly publicUrl?: string
}

const makeApp = Effect.fnUntraced(function* (
  operations: ReadonlyArray<Operation>,
  { authenticate, path = "/s3" }: ServeOptions
) {
  return yield* S3App.make({
    endpoint: { path },
    operations,
    authenticate: authenticate ?? (yield* S3Authentication.make)
  })
})

/** Serves these operations alone, with the credentials of a server. */
export const serve = async (
  server: TestServer.TestServer,
  operations: ReadonlyArray<Operation>,
  options: ServeOptions = {}
) => {
  const node = createServer()
  const listener: RequestListener = await server.run(
    Effect.gen(function* () {
      const app = yield* makeApp(operations, options)
      return yield* NodeHttpServer.makeHandler(app, { scope: yield* Scope.make() })
    }).pipe(Effect.provideService(PublicUrl, options.publicUrl ?? ""))
  )
  node.on("request", listener)
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve))
  const { port } = node.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      node.close(() => resolve())
      node.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, port, close }
}

/** Answers requests by these operations alone, without a connection: a body arrives in the chunks of its stream. */
export const handler = async (server: TestServer.TestServer, operations: ReadonlyArray<Operation>) => {
  const app = await server.run(Effect.provideService(makeApp(operations, {}), PublicUrl, ""))
  return (request: Request): Promise<Response> =>
    server.run(
      app.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
        Effect.scoped,
        Effect.map((response) => HttpServerResponse.toWeb(response))
      )
    )
}
