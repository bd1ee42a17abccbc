/**
 * Where mirrors lead is said by users: to nothing inside, unless the operator allows it.
 */
import { generateKeyPairSync } from "node:crypto"
import { createServer } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { expectProblem } from "../support/Problems.ts"
import * as Site from "./Site.ts"

const listen = (port: number, host: string, count: () => void): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      count()
      socket.destroy()
    })
    onTestFinished(() => void server.close())
    server.once("error", reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** Something inside, that counts who connects to it, by IPv4 and where there is one by IPv6. */
const inside = async () => {
  let connections = 0
  const count = () => void connections++
  const port = await listen(0, "127.0.0.1", count)
  await listen(port, "::1", count).catch(() => 0)
  return { port, connections: () => connections }
}

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" }
})

/** A service account's document whose tokens come from an address of somebody's choice. */
const accountAt = (tokenUri: string): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: "1",
    private_key: privateKey,
    client_email: "a@p.iam.gserviceaccount.com",
    client_id: "1",
    token_uri: tokenUri
  })

const bodies = (endpoint: string): ReadonlyArray<object> => [
  {
    name: "s3",
    type: "CLOUD_A",
    region: "us-east-1",
    bucketName: "bucket",
    accessKeyId: "key",
    secretAccessKey: "secret",
    forcePathStyle: true,
    endpoint
  },
  { name: "azure", type: "CLOUD_B", accountName: "account", containerName: "container", accountKey: "a2V5", endpoint },
  { name: "gcs", type: "CLOUD_C", projectId: "p", bucketName: "bucket", credentials: accountAt(endpoint), endpoint }
]

it("refuses targets inside, and opens no connection to them", { timeout: 120_000 }, async () => {
  const { connections, port } = await inside()
  const site = await Site.start()
  const hosts = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "[::ffff:127.0.0.1]"]
  const addresses = [...hosts.map((host) => `http://${host}:${port}`), "http://169.254.169.254", "http://10.0.0.1"]
  for (const endpoint of addresses) {
    for (const json of bodies(endpoint)) {
      const answer = await site.api.post(site.mirrors, { json })
      const { reason } = await expectProblem(answer, 422, "mirror_target_unreachable")
      expect(reason, endpoint).toBe("Refused")
    }
  }
  expect(connections()).toBe(0)

  // One that is made without asking the target is refused when it is to be used.
  await Site.upload(site, { name: "a" }, "a")
  const [s3 = {}] = bodies(`http://localhost:${port}`)
  const { id } = await Site.createMirror(site, { ...s3, verify: false })
  await Site.inState(site, id, "FAILING")
  expect(connections()).toBe(0)
})

it("connects to them where the operator allows it", async () => {
  const { connections, port } = await inside()
  const site = await Site.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
  for (const json of bodies(`http://127.0.0.1:${port}`).slice(0, 2)) {
    const answer = await site.api.post(site.mirrors, { json })
    await expectProblem(answer, 422, "mirror_target_unreachable")
  }
  expect(connections()).toBeGreaterThan(0)
})
