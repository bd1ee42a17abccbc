/**
 * A running service with a bucket, whose webhooks may send to the loopback interface.
 */
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

export const env = {
  HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: "on",
  HOLDFAST_ACCESS_LOG: "off",
  HOLDFAST_CONVERSIONS: "0"
}

export interface Webhook {
  readonly id: string
  readonly secret: string
  readonly path: string
}

/** Starts a service with one of the databases. `settings` are those that the database needs. */
export const start = async (
  settings: Readonly<Record<string, string>> = {},
  data?: string
): Promise<ServiceBucket.ServiceBucket> =>
  ServiceBucket.start({ env: { ...env, ...settings }, ...(data === undefined ? undefined : { data }) })

/** Starts the service again, with the same database and data directory. */
export const restart = async (
  former: ServiceBucket.ServiceBucket,
  settings: Readonly<Record<string, string>> = {}
): Promise<ServiceBucket.ServiceBucket> => {
  const service = await Process.serve({ data: former.service.data, env: { ...env, ...settings } })
  return { ...former, service, api: Requests.make(`${service.url}/api/v1`, former.key) }
}

export const createWebhook = async (
  { api, tenantId }: Pick<ServiceBucket.ServiceBucket, "api" | "tenantId">,
  url: string,
  fields: object = {}
): Promise<Webhook> => {
  const path = `/tenants/${tenantId}/webhooks`
  const answer = await api.post(path, { json: { name: "w", url, eventTypes: ["file."], ...fields } })
  if (!answer.ok) throw new Error(await answer.text())
  const { id, secret } = await json<{ readonly id: string; readonly secret: string }>(answer)
  return { id, secret, path: `${path}/${id}` }
}

/** Creates an empty file. Returns its id. */
export const createFile = async (
  { api, files }: Pick<ServiceBucket.ServiceBucket, "api" | "files">,
  name: string
): Promise<string> => {
  const answer = await api.post(files, { json: { name } })
  if (!answer.ok) throw new Error(await answer.text())
  return (await json<{ readonly id: string }>(answer)).id
}
