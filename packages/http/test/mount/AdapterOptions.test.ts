import { InvalidRequest } from "@holdfast/core"
import { azure, azureMirrors } from "@holdfast/azure"
import { ffmpeg } from "@holdfast/ffmpeg"
import { fs, workspace } from "@holdfast/fs"
import { gcs, gcsMirrors } from "@holdfast/gcs"
import { postgres } from "@holdfast/postgres"
import { s3, s3Mirrors } from "@holdfast/s3"
import { sqlite } from "@holdfast/sqlite"
import { expect, it } from "vitest"

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

const faulty: ReadonlyArray<readonly [Name, unknown, ReadonlyArray<string>]> = [
  ["fs", undefined, [": must be an object, with directory, reserveBytes"]],
  ["fs", { dir: "data" }, ["/directory: is required", "/dir: is not known; known are directory, reserveBytes"]],
  ["fs", { directory: "" }, ["/directory: must be a text that is not empty"]],
  ["fs", { directory: "data", reserveBytes: "1 GB" }, ["/reserveBytes: must be a whole number of at least 0"]],
  ["workspace", { directory: 7 }, ["/directory: must be a text"]],
  ["sqlite", undefined, [": must be an object"]],
  ["sqlite", { path: "data/holdfast.sqlite" }, ["/file: is required", "/path: is not known"]],
  ["sqlite", { file: "" }, ["/file: must be a text that is not empty"]],
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
    ["/credentials/secretAccessKey: is required", "/credentials/secretKey: is not known"]
  ],
  ["s3", { bucket: "files", region: "eu", requestTimeout: "soon" }, ["/requestTimeout: must be a duration"]],
  ["s3Mirrors", { allowPrivate: "no" }, ["/allowPrivate: must be true or false"]],
  ["gcs", { bucket: "files", credentials: { private_key: secret } }, ["/credentials: must be the JSON document"]],
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
  ["azureMirrors", { private: true }, ["/private: is not known"]],
  ["ffmpeg", { path: "/usr/bin/ffmpeg" }, ["/path: is not known"]],
  ["ffmpeg", { niceness: 20 }, ["/niceness: must be 0 to 19"]],
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
      credentials: { accessKeyId: "id", secretAccessKey: secret, sessionToken: secret },
      prefix: "",
      partBytes: 1,
      partConcurrency: 1,
      requestChecksumCalculation: "WHEN_SUPPORTED"
    }
  ],
  ["s3Mirrors", undefined],
  ["s3Mirrors", { ...requests, allowPrivate: true, copyBytes: 0, partBytes: 1, partConcurrency: 1 }],
  ["gcs", { ...requests, bucket: "files", credentials: "{}", projectId: "id", endpoint: "https://host", prefix: "a/" }],
  ["gcsMirrors", { ...requests, allowPrivate: true, chunkBytes: 1 }],
  ["azure", { ...requests, container: "files", accountName: "account", accountKey: secret, blockBytes: 1 }],
  ["azure", { container: "files", accountName: "account", sas: secret, accountKey: undefined, blockConcurrency: 1 }],
  ["azure", { container: "files", accountName: "account", token: { getToken: () => null }, prefix: "a/" }],
  ["azure", { container: "files", connectionString: secret, accountKey: undefined }],
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
