/**
 * A data directory with a bucket, to which each run of a service gets a copy.
 */
import * as Fs from "node:fs"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import type * as Ledger from "./Ledger.ts"

export const env = { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s", HOLDFAST_ACCESS_LOG: "off" }

export interface ServiceStore {
  readonly data: string
  readonly key: string
  readonly bucket: Ledger.Bucket
}

/** Makes a data directory, by a service that then stops. */
export const make = async (): Promise<ServiceStore> => {
  const service = await Process.serve({ env })
  const [key] = await service.untilPrinted(/hf_[\w-]{49}/)
  const requests = Requests.make(`${service.url}/api/v1`, key)
  const created = async (path: string, json: object) =>
    ((await (await requests.post(path, { json })).json()) as { readonly id: string }).id
  const tenantId = await created("/tenants", { name: "T", subdomain: "faults" })
  const bucketId = await created(`/tenants/${tenantId}/buckets`, { name: "b" })
  await service.stop()
  return { data: service.data, key, bucket: { tenantId, bucketId } }
}

/** Returns a copy of the data directory. */
export const copyOf = async ({ data }: ServiceStore): Promise<string> => {
  const copy = await Process.makeDirectory()
  Fs.cpSync(data, copy, { recursive: true })
  return copy
}

/** Returns the client of a service that runs on a copy of the store. */
export const connect = ({ key }: ServiceStore, { url }: Process.Service): Requests.Requests =>
  Requests.make(`${url}/api/v1`, key)

/** Sends requests of one worker, one after the other. */
export const sendRequests = async (ledger: Ledger.Ledger, worker: number, count: number): Promise<void> => {
  const steps = [
    () => ledger.create(1000),
    () => ledger.overwrite(2000),
    () => ledger.read(),
    () => ledger.create(70_000),
    () => ledger.remove()
  ]
  for (let index = 0; index < count; index++) await steps[(worker + index) % steps.length]?.()
}
