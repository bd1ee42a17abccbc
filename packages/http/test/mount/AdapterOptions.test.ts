import { type BlobsAdapter, InvalidRequest } from "@holdfast/core"
import { azure, azureMirrors } from "@holdfast/azure"
import { ffmpeg } from "@holdfast/ffmpeg"
import { fs, workspace } from "@holdfast/fs"
import { gcs, gcsMirrors } from "@holdfast/gcs"
import { postgres } from "@holdfast/postgres"
import { s3, s3Mirrors } from "@holdfast/s3"
import { sqlite } from "@holdfast/sqlite"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import { generateKeyPairSync } from "node:crypto"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"

const adapters = {
  azure,
  azureMirrors,
  ffmpeg,
  fs,
  gcs,
  gcsMirrors,
  postgres,
  s3,
  s3Mirrors,
  sqlite,
  workspace
} satisfies Record<string, (options: never) => unknown>

type Name = keyof typeof adapters

/** Calls an adapter's function as a program without types can. */
const call = (name: Name, options: unknown): unknown => adapters[name](options as never)

const refusal = (name: Name, options: unknown): InvalidRequest => {
  try {
    call(name, options)
  } catch (error) {
    if (error instanceof InvalidRequest) return error
    throw error
  }
  throw new Error(`${name} accepted its options`)
}

const secret = "c2VjcmV0-of-the-account"

const serviceAccount = (): string => {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  })
  return JSON.stringify({ type: "service_account", client_email: "a@b.c", private_key: privateKey })
}

/** Has its options as properties of its class, where a copy of its own properties has none of them. */
class Inherited {
  get bucket(): string {
    return "files"
  }
  get region(): string {
    return "eu"
  }
}

const faulty: ReadonlyArray<readonly [Name, unknown, ReadonlyArray<string>]> = [
  ["fs", undefined, [": must be an object, with directory, reserveBytes"]],
  ["fs", { dir: "data" }, ["/directory: is required", "/dir: is not known; known are directory, reserveBytes"]],
  ["fs", { directory: "" }, ["/directory: must be a path that is not empty"]],
  ["fs", { directory: "a\0b" }, ["/directory: must be a path"]],
  ["fs", { directory: "data", reserveBytes: "1 GB" }, ["/reserveBytes: must be a whole number of at least 0"]],
  ["workspace", { directory: 7 }, ["/directory: must be a path"]],
  ["sqlite", undefined, [": must be an object"]],
  ["sqlite", { path: "data/holdfast.sqlite" }, ["/file: is required", "/path: is not known"]],
  ["sqlite", { file: "" }, ["/file: must be a path that is not empty"]],
  ["sqlite", { file: ":memory:", statementTimeout: "soon" }, ["/statementTimeout: must be a whole number"]],
  [
    "postgres",
    { connectionString: `postgres://u:${secret}@db/x` },
    ["/url: is required", "/connectionString: is not known"]
  ],
  ["postgres", { url: `http://u:${secret}@db/x` }, ["/url: must be a URL such as postgres://"]],
  ["postgres", { url: `postgres://u:${secret}%@db/x` }, ["/url: must be a URL such as postgres://"]],
  [
    "s3",
    { Bucket: "files" },
    ["/bucket: is required", "/region: is required", "/Bucket: is not known; did you mean bucket?"]
  ],
  [
    "s3",
    { bucket: "files", region: "eu", endpoint: `https://u:${secret}@host` },
    ["/endpoint: must be an http or https URL"]
  ],
  [
    "s3",
    { bucket: "files", region: "eu", credentials: { accessKeyId: "id", secretKey: secret } },
    ["/credentials/secretAccessKey: is required"]
  ],
  ...["soon", -1, 0, NaN, {}, new Date()].map(
    (requestTimeout) =>
      ["s3", { bucket: "files", region: "eu", requestTimeout }, ["/requestTimeout: must be a duration"]] as const
  ),
  ["s3", { bucket: "files", region: "e u" }, ["/region: must be the name of a region"]],
  ["s3", new Inherited(), ["/bucket: is required", "/region: is required"]],
  ["s3Mirrors", { allowPrivate: "no" }, ["/allowPrivate: must be true or false"]],
  ["gcs", { bucket: "files", credentials: { private_key: secret } }, ["/credentials: must be the JSON document"]],
  ...["[]", "{}"].map(
    (credentials) => ["gcs", { bucket: "files", credentials }, ["/credentials: must be the JSON document"]] as const
  ),
  ["gcsMirrors", { chunkBytes: 0 }, ["/chunkBytes: must be a whole number of at least 1"]],
  [
    "azure",
    { container: "files", accountName: "account" },
    ["/accountKey: is required, or one of sas, token, connectionString"]
  ],
  ["azure", { container: "files", accountKey: secret }, ["/accountName: is required"]],
  [
    "azure",
    { container: "files", accountName: "account", accountKey: secret, sas: secret },
    ["/sas: must be absent where accountKey is set"]
  ],
  [
    "azure",
    { container: "files", accountName: "account", token: secret },
    ["/token: must be a credential with getToken"]
  ],
  ["azure", { container: "Files", accountName: "account", sas: secret }, ["/container: must be the name"]],
  ["azure", { container: "files", accountName: "a.b", sas: secret }, ["/accountName: must be the name"]],
  ["azure", { container: "files", connectionString: secret }, ["/connectionString: must be a connection string"]],
  ["azureMirrors", { private: true }, ["/private: is not known"]],
  ["ffmpeg", { path: "/usr/bin/ffmpeg" }, ["/path: is not known"]],
  ["ffmpeg", { niceness: 20 }, ["/niceness: must be 0 to 19"]],
  ["ffmpeg", { preset: "quick" }, ["/preset: must be one of ultrafast, superfast"]],
  ["ffmpeg", { limits: { wallTime: -1 } }, ["/limits/wallTime: must be a duration of more than 0"]],
  ["ffmpeg", { sandbox: true }, ["/sandbox: must be one of auto, required, off"]],
  ["ffmpeg", { limits: { pixel: 1 } }, ["/limits/pixel: is not known; did you mean pixels?"]]
]

it.each(faulty)("%s(%o) → InvalidRequest with each fault, without secrets", (name, options, expected) => {
  const { errors, message } = refusal(name, options)
  expect(message).toMatch(new RegExp(`^The options of ${name}\\(\\) are not valid\\. `))
  expect(errors.map(({ detail, pointer }) => `${pointer}: ${detail}`)).toEqual(
    expected.map((text) => expect.stringContaining(text))
  )
  expect(JSON.stringify([message, errors])).not.toContain(secret)
})

const requests = {
  maxAttempts: 1,
  maxConnections: 1,
  connectTimeout: "1 second",
  idleTimeout: 1000,
  requestTimeout: "1 minute"
}

const valid: ReadonlyArray<readonly [Name, unknown]> = [
  ["fs", { directory: "data", reserveBytes: 0 }],
  ["fs", { directory: "data", reserveBytes: undefined }],
  ["workspace", { directory: "data", forOtherUser: true, reserveBytes: 0 }],
  ["sqlite", { file: ":memory:", statementTimeout: 1 }],
  ["postgres", { url: "postgresql:///database", maxConnections: 1, statementTimeout: 1, prepare: false }],
  [
    "s3",
    {
      ...requests,
      bucket: "files",
      region: "eu-central-1",
      endpoint: "http://localhost:9000/path",
      forcePathStyle: true,
      credentials: { accessKeyId: "id", secretAccessKey: secret, sessionToken: secret, expiration: new Date() },
      prefix: "",
      partBytes: 1,
      partConcurrency: 1,
      requestChecksumCalculation: "WHEN_SUPPORTED"
    }
  ],
  ["s3Mirrors", undefined],
  ["s3Mirrors", { ...requests, allowPrivate: true, copyBytes: 0, partBytes: 1, partConcurrency: 1 }],
  ["gcs", { ...requests, bucket: "files", credentials: serviceAccount(), projectId: "id", prefix: "a/" }],
  ["gcsMirrors", { ...requests, allowPrivate: true, chunkBytes: 1 }],
  ["azure", { ...requests, container: "files", accountName: "account", accountKey: secret, blockBytes: 1 }],
  ["azure", { container: "files", accountName: "account", sas: secret, accountKey: undefined, blockConcurrency: 1 }],
  ["azure", { container: "files", accountName: "account", token: { getToken: () => null }, prefix: "a/" }],
  [
    "azure",
    { container: "files", connectionString: `AccountName=account;AccountKey=${secret}`, accountKey: undefined }
  ],
  ["azureMirrors", { allowPrivate: false }],
  ["ffmpeg", undefined],
  [
    "ffmpeg",
    {
      ffmpeg: "/usr/bin/ffmpeg",
      temporaryDirectory: "/tmp",
      limits: { duration: "1 hour", pixels: 1, outputBytes: 1, wallTime: 1, cpuTime: 1, memoryBytes: 1, threads: 1 },
      preset: "fast",
      perTitle: true,
      stallTimeout: "1 minute",
      niceness: 0,
      sandbox: "off",
      user: { uid: 1, gid: 1 }
    }
  ]
]

it.each(valid)("%s(%o) → the adapter", (name, options) => {
  expect(call(name, options)).toBeTypeOf("object")
})

/** Starts a server that answers nothing useful, and returns its address with the addresses and headers of requests. */
const listen = async () => {
  const requests: Array<Http.IncomingMessage> = []
  const server = Http.createServer((request, response) => {
    requests.push(request)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Opens a store and checks whether it can be used. */
const check = ({ blobs }: BlobsAdapter) =>
  Effect.runPromiseExit(
    Effect.provide(
      Effect.flatMap(BlobStore, (store) => store.check),
      blobs
    )
  )

const account = { container: "files", accountName: "account", maxAttempts: 1 }
const token = { getToken: () => Promise.resolve({ token: "token-of-the-test", expiresOnTimestamp: Infinity }) }

it.each([
  ["sas", { sas: `sig=${secret}` }, ["accountKey", "token", "connectionString"]],
  ["accountKey", { accountKey: "a2V5" }, ["sas", "token", "connectionString"]],
  ["connectionString", {}, ["accountKey", "sas", "token"]]
] as const)("azure with %s, other secrets undefined → requests with this secret", async (name, given, others) => {
  const { requests, url } = await listen()
  const connectionString = `DefaultEndpointsProtocol=http;AccountName=account;AccountKey=a2V5;BlobEndpoint=${url}/account;`
  const options =
    name === "connectionString"
      ? { container: "files", maxAttempts: 1, connectionString }
      : { ...account, endpoint: url }
  const undefinedOnes = Object.fromEntries(others.map((other) => [other, undefined]))
  await check(call("azure", { ...options, ...given, ...undefinedOnes }) as BlobsAdapter)
  const [request] = requests
  const { authorization } = request?.headers ?? {}
  if (name === "sas") expect(request?.url).toContain(`sig=${secret}`)
  else expect(authorization).toMatch(/^SharedKey account:/)
})

it("azure with token beside undefined secrets → refused over plain HTTP, by the SDK", async () => {
  const { requests, url } = await listen()
  const options = { ...account, endpoint: url, token, sas: undefined, accountKey: undefined }
  const exit = await check(call("azure", options) as BlobsAdapter)
  expect([exit._tag, requests]).toEqual(["Failure", []])
})

it.each(["Infinity", Infinity, "30 days"])("s3 with times of %s → requests are answered", async (time) => {
  const { requests, url } = await listen()
  const times = { connectTimeout: time, idleTimeout: time, requestTimeout: time }
  const credentials = { accessKeyId: "id", secretAccessKey: secret }
  const options = { ...times, bucket: "files", region: "eu", endpoint: url, forcePathStyle: true, credentials }
  const exit = await check(call("s3", options) as BlobsAdapter)
  expect(JSON.stringify(exit)).not.toContain("Unavailable")
  expect(requests.length).toBeGreaterThan(0)
})
