/**
 * A Ceph gateway (S3 protocol) with buckets, which tests inspect without the adapters.
 */
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SignedRequest from "./SignedRequest.ts"
import * as StoreIdentity from "./StoreIdentity.ts"

export { missing } from "@holdfast/testing/servers/CephRgw"

export interface Bucket {
  readonly name: string
  /** Returns the keys of all objects but those that identify the store, sorted. */
  readonly keys: () => Promise<ReadonlyArray<string>>
  readonly get: (key: string) => Promise<Response>
  readonly put: (key: string, content: Uint8Array<ArrayBuffer>) => Promise<Response>
  readonly remove: (key: string) => Promise<Response>
  /** Begins a multipart upload and leaves it incomplete. */
  readonly beginMultipartUpload: (key: string) => Promise<void>
  /** Returns the keys of the incomplete multipart uploads. */
  readonly incompleteUploads: () => Promise<ReadonlyArray<string>>
}

export interface Ceph {
  readonly endpoint: string
  readonly credentials: SignedRequest.Credentials
  /** Settings of a service that stores contents in a bucket. */
  readonly settings: (bucketName: string) => Readonly<Record<string, string>>
  /** Creates a bucket. */
  readonly makeBucket: () => Promise<Bucket>
  /** Stops the gateway; its data remain. */
  readonly stop: () => Promise<void>
  /** Starts the gateway again. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

const unescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&")

let bucketCount = 0

/** Starts a gateway. `capacity`: the maximum number of bytes that it stores. */
export const start = async (capacity?: number): Promise<Ceph> => {
  const runtime = ManagedRuntime.make(capacity === undefined ? CephRgw.layer : CephRgw.layerWithMemory(capacity))
  const gateway = await runtime.runPromise(CephRgw.CephRgw)
  const { endpoint } = gateway
  const credentials = {
    accessKeyId: gateway.credentials.accessKeyId,
    secretAccessKey: Redacted.value(gateway.credentials.secretAccessKey)
  }

  const keysOf = async (bucket: string, token?: string): Promise<ReadonlyArray<string>> => {
    const more: Record<string, string> = token === undefined ? {} : { "continuation-token": token }
    const answer = await SignedRequest.send(credentials, "GET", endpoint, { bucket }, { "list-type": "2", ...more })
    const xml = await answer.text()
    const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => unescape(key))
    const [, next] = /<NextContinuationToken>([^<]*)</.exec(xml) ?? []
    return next === undefined ? keys : [...keys, ...(await keysOf(bucket, unescape(next)))]
  }

  return {
    endpoint,
    credentials,
    settings: (bucketName) => ({
      HOLDFAST_BLOBS: "s3",
      HOLDFAST_S3_BUCKET: bucketName,
      HOLDFAST_S3_ENDPOINT: endpoint,
      HOLDFAST_S3_FORCE_PATH_STYLE: "on",
      HOLDFAST_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      HOLDFAST_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey
    }),
    makeBucket: async () => {
      const bucket = `http-${process.pid}-${++bucketCount}`
      const answer = await SignedRequest.send(credentials, "PUT", endpoint, { bucket })
      if (!answer.ok) throw new Error(`bucket not created: ${answer.status} ${await answer.text()}`)
      return {
        name: bucket,
        keys: async () => (await keysOf(bucket)).filter((key) => !StoreIdentity.isIdentity(key)).toSorted(),
        get: (key) => SignedRequest.send(credentials, "GET", endpoint, { bucket, key }),
        put: (key, content) => SignedRequest.send(credentials, "PUT", endpoint, { bucket, key }, {}, content),
        remove: (key) => SignedRequest.send(credentials, "DELETE", endpoint, { bucket, key }),
        beginMultipartUpload: async (key) => {
          const answer = await SignedRequest.send(credentials, "POST", endpoint, { bucket, key }, { uploads: "" })
          if (!answer.ok) throw new Error(`upload not begun: ${answer.status} ${await answer.text()}`)
        },
        incompleteUploads: async () => {
          const answer = await SignedRequest.send(credentials, "GET", endpoint, { bucket }, { uploads: "" })
          return [...(await answer.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => unescape(key))
        }
      }
    },
    stop: () => runtime.runPromise(gateway.stop),
    start: () => runtime.runPromise(gateway.start),
    close: () => runtime.dispose()
  }
}
