/**
 * Loads the SDK for S3 that the service uses, for baselines that use it without Holdfast.
 */
import { Agent } from "node:http"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import * as Schema from "effect/Schema"
import { Gateway } from "./SdkUploadJob.ts"

/** The parts of the SDK that the baselines use. */
interface Sdk {
  readonly S3Client: new (options: object) => { readonly send: (command: object) => Promise<Output> }
  readonly CreateBucketCommand: new (input: object) => object
  readonly GetObjectCommand: new (input: object) => object
  readonly PutObjectCommand: new (input: object) => object
  readonly ListObjectsV2Command: new (input: object) => object
  readonly CreateMultipartUploadCommand: new (input: object) => object
  readonly UploadPartCommand: new (input: object) => object
  readonly CompleteMultipartUploadCommand: new (input: object) => object
}

interface Output {
  readonly UploadId?: string
  readonly ETag?: string
  readonly Body?: NodeJS.ReadableStream
  readonly ContentLength?: number
}

const resolve = (from: string, name: string): string => createRequire(from).resolve(name)

/** Returns the SDK, and a client of a gateway, which is given as JSON. */
export const load = async (gateway: string | undefined) => {
  const service = resolve(import.meta.url, "@holdfast/http/main")
  const location = resolve(resolve(service, "@holdfast/s3"), "@aws-sdk/client-s3")
  const sdk = (await import(pathToFileURL(location).href)) as Sdk
  const { endpoint, ...credentials } = Schema.decodeUnknownSync(Schema.fromJsonString(Gateway))(gateway)
  const client = new sdk.S3Client({
    region: "us-east-1",
    endpoint,
    credentials,
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { httpAgent: new Agent({ keepAlive: true, maxSockets: 50 }) }
  })
  return { sdk, client }
}
