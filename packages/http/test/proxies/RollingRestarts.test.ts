/**
 * Nodes that are replaced one after the other behind the documented balancers.
 *
 * `HOLDFAST_FULL=1 pnpm test packages/http/test/proxies/RollingRestarts.test.ts` replaces each node five times with the default
 * drain delay, during at least 10,000 requests.
 */
import * as Requires from "@holdfast/testing/Requires"
import { expect, it } from "vitest"
import * as Database from "../support/Database.ts"
import * as Proxies from "./support/Proxies.ts"
import * as RollingRestarts from "./support/RollingRestarts.ts"

const isFull = process.env["HOLDFAST_FULL"] === "1"
const size = isFull ? { requests: 10_000, rounds: 5 } : { requests: 200, rounds: 1 }
/** Longer than the `fail_timeout` of the documented nginx. */
const drainDelay = isFull ? "5s" : "3s"
const timeout = isFull ? 900_000 : 480_000

const replaceAll = async (start: (nodes: ReadonlyArray<RollingRestarts.Node>) => Promise<Proxies.Proxy>) => {
  const deployment = await RollingRestarts.start(drainDelay)
  const proxy = await start(deployment.nodes)
  const { failures, requests } = await RollingRestarts.run(deployment, proxy.url, size)
  expect(failures.slice(0, 20)).toEqual([])
  expect(requests).toBeGreaterThanOrEqual(size.requests)
  if (isFull) process.stderr.write(`${requests} requests, ${failures.length} failed\n`)
}

Requires.requires(Requires.firstMissing(Database.missing, Proxies.nginxMissing)).describe("rolling restarts", () => {
  it(
    "behind nginx, which checks no health → no request fails",
    () => replaceAll((nodes) => Proxies.startNginx(nodes.map(({ url }) => url))),
    timeout
  )
})

Requires.requires(Requires.firstMissing(Database.missing, Proxies.haproxyMissing)).describe("rolling restarts", () => {
  it("behind HAProxy, which checks readiness → no request fails", () => replaceAll(Proxies.startHaproxy), timeout)
})
