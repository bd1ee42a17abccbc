import { EventEmitter } from "node:events"
import type { Server } from "node:http"
import { Duplex } from "node:stream"
import { describe, expect, it } from "vitest"
import * as AddressGroup from "../../src/incoming/AddressGroup.ts"
import * as TrustedProxies from "../../src/incoming/TrustedProxies.ts"
import * as ConnectionLimits from "../../src/server/listener/ConnectionLimits.ts"

describe("AddressGroup", () => {
  it.each([
    ["127.0.0.1", undefined],
    ["10.1.2.3", undefined],
    ["172.31.0.1", undefined],
    ["192.168.1.1", undefined],
    ["100.64.0.1", undefined],
    ["169.254.1.1", undefined],
    ["::1", undefined],
    ["fd00::1", undefined],
    ["fe80::1%eth0", undefined],
    ["::ffff:10.0.0.1", undefined],
    ["203.0.113.5", "203.0.113.5"],
    ["::ffff:203.0.113.5", "203.0.113.5"],
    ["172.32.0.1", "172.32.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["no address", "unknown"]
  ])("group of %s → %s, local addresses without one", (address, group) => {
    expect(AddressGroup.isLocal(address) ? undefined : AddressGroup.of(address)).toBe(group)
  })
})

describe("ConnectionLimits", () => {
  /** A socket of a client with this address. */
  const socketOf = (remoteAddress: string) => {
    let answer = ""
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Uint8Array, _, done) => {
        answer += Buffer.from(chunk).toString("latin1")
        done()
      }
    })
    return Object.assign(socket, {
      remoteAddress,
      destroySoon: () => void socket.destroy(),
      answer: () => answer
    })
  }

  const make = (maxConnections: number, maxConnectionsPerAddress: number, proxies: ReadonlyArray<string> = []) => {
    const server = new EventEmitter()
    const limits = ConnectionLimits.enforce(
      server as Server,
      { maxConnections, maxConnectionsPerAddress, trustedProxies: TrustedProxies.parse(proxies) },
      () => "req_1"
    )
    const accept = (address: string) => {
      const socket = socketOf(address)
      server.emit("connection", socket)
      return socket
    }
    return { accept, limits }
  }

  it("one address above its limit → 503; other addresses → accepted", () => {
    const { accept, limits } = make(100, 2)
    const [first] = [accept("203.0.113.5"), accept("::ffff:203.0.113.5")]
    expect(accept("203.0.113.5").answer()).toMatch(/^HTTP\/1\.1 503 [^]*Your address has too many connections/)
    expect(accept("203.0.113.6").answer()).toBe("")
    expect([limits.open(), limits.refused()]).toEqual([3, 1])
    first?.emit("close")
    expect(accept("203.0.113.5").answer()).toBe("")
    expect(accept("203.0.113.5").answer()).toMatch(/503/)
  })

  it("trusted proxy with a public address → no limit", () => {
    const { accept } = make(100, 1, ["203.0.113.0/24"])
    const answers = ["203.0.113.5", "203.0.113.5", "::ffff:203.0.113.5"].map((address) => accept(address).answer())
    expect(answers).toEqual(["", "", ""])
  })

  it("addresses of one IPv6 network → one limit", () => {
    const { accept } = make(100, 1)
    expect(accept("2001:db8:1:2::1").answer()).toBe("")
    expect(accept("2001:db8:1:2:ffff::9").answer()).toMatch(/503/)
    expect(accept("2001:db8:1:3::1").answer()).toBe("")
  })

  it("addresses of the own network, as of a proxy → no limit of their own", () => {
    const { accept, limits } = make(100, 1)
    for (let i = 0; i < 50; i++) accept("10.0.0.1")
    expect([limits.open(), limits.refused()]).toEqual([50, 0])
  })

  it("limit per address of 0 → only the limit in all", () => {
    const { accept, limits } = make(10, 0)
    for (let i = 0; i < 12; i++) accept("203.0.113.5")
    expect([limits.open(), limits.refused()]).toEqual([10, 2])
  })
})
