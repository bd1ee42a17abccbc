import { ListBucketsCommand } from "@aws-sdk/client-s3"
import { expect, it, onTestFinished } from "vitest"
import * as S3Server from "../s3/S3Server.ts"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

interface Id {
  readonly id: string
}

it("s3 credentials: create, revoke → the running service accepts them, then refuses them", async () => {
  const { api, service, tenantId } = await ServiceBucket.start()
  const members = await json<{ readonly items: ReadonlyArray<Id> }>(await api.get(`/tenants/${tenantId}/members`))
  const member = { id: members.items[0]?.id }
  const { id } = await json<Id>(await api.post(`/tenants/${tenantId}/tokens`, { json: { name: "s3", member } }))
  const run = (name: string) => Process.run(["s3", "credentials", name, tenantId, id, "--data-dir", service.data])

  const created = await run("create")
  const [, accessKeyId = "", secretAccessKey = ""] =
    /^AWS_ACCESS_KEY_ID=(\S+)\nAWS_SECRET_ACCESS_KEY=(\S{40})\n$/.exec(created.stdout) ?? []
  expect(accessKeyId).toBe(id.replaceAll("-", ""))
  const client = S3Server.client(service.url, { accessKeyId, secretAccessKey })
  onTestFinished(() => client.destroy())
  const { Buckets } = await client.send(new ListBucketsCommand({}))
  expect(Buckets?.map(({ Name }) => Name)).toEqual(["b"])

  expect((await run("revoke")).code).toBe(0)
  const code = () =>
    client.send(new ListBucketsCommand({})).then(
      () => "ok",
      (error: { readonly name: string }) => error.name
    )
  // The service may use what it has found for a second.
  await expect.poll(code, { timeout: 20_000 }).toBe("InvalidAccessKeyId")
  expect((await run("revoke")).code).toBe(1)
})
