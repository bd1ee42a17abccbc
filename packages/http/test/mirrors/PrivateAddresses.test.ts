/**
 * Tests that mirrors do not connect to private addresses, which users may enter, unless the operator allows it.
 */
import { createServer } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { expectProblem } from "../support/Problems.ts"
import * as MirrorInputs from "./MirrorInputs.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

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

/** Starts a server that counts connections to a loopback address: by IPv4, and by IPv6 where the machine has it. */
const startPrivateServer = async () => {
  let connections = 0
  const count = () => void connections++
  const port = await listen(0, "127.0.0.1", count)
  await listen(port, "::1", count).catch(() => 0)
  return { port, connections: () => connections }
}

it("create: private address → Refused, and no connection is made", { timeout: 120_000 }, async () => {
  const { connections, port } = await startPrivateServer()
  const source = await MirrorRequests.start()
  const hosts = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "[::ffff:127.0.0.1]"]
  const addresses = [...hosts.map((host) => `http://${host}:${port}`), "http://169.254.169.254", "http://10.0.0.1"]
  for (const endpoint of addresses) {
    for (const json of MirrorInputs.forEndpoint(endpoint)) {
      const answer = await source.api.post(source.mirrors, { json })
      const { reason } = await expectProblem(answer, 422, "mirror_target_unreachable")
      expect(reason, endpoint).toBe("Refused")
    }
  }
  expect(connections()).toBe(0)

  // Without the check, the mirror is created; the worker refuses the address.
  await MirrorRequests.upload(source, { name: "a" }, "a")
  const [s3 = {}] = MirrorInputs.forEndpoint(`http://localhost:${port}`)
  const { id } = await MirrorRequests.createMirror(source, { ...s3, verify: false })
  await MirrorRequests.untilInState(source, id, "FAILING")
  expect(connections()).toBe(0)
})

it(
  "private name and unknown name → the same response, and the same error of the mirror",
  { timeout: 120_000 },
  async () => {
    const { port } = await startPrivateServer()
    const source = await MirrorRequests.start()
    await MirrorRequests.upload(source, { name: "a" }, "a")
    const results = await Promise.all(
      [`http://localhost:${port}`, "http://nowhere.invalid"].map(async (endpoint) => {
        const answers = []
        for (const json of MirrorInputs.forEndpoint(endpoint)) {
          const answer = await source.api.post(source.mirrors, { json })
          const { requestId: _requestId, ...problem } = await expectProblem(answer, 422, "mirror_target_unreachable")
          answers.push(problem)
          const { id } = await MirrorRequests.createMirror(source, { ...json, verify: false })
          await MirrorRequests.untilInState(source, id, "FAILING")
          answers.push((await MirrorRequests.getMirror(source, id)).stats.lastError)
        }
        return answers
      })
    )
    expect(results[0]).toEqual(results[1])
    expect(results[0]).toHaveLength(6)
  }
)

it("create: private address, HOLDFAST_MIRRORS_ALLOW_PRIVATE on → connections are made", async () => {
  const { connections, port } = await startPrivateServer()
  const source = await MirrorRequests.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
  for (const json of MirrorInputs.forEndpoint(`http://127.0.0.1:${port}`).slice(0, 2)) {
    const answer = await source.api.post(source.mirrors, { json })
    await expectProblem(answer, 422, "mirror_target_unreachable")
  }
  expect(connections()).toBeGreaterThan(0)
})
