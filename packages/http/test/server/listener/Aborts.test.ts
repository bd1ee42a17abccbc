import { assert, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { setImmediate as turn } from "node:timers/promises"
import * as Aborts from "../../../src/incoming/Aborts.ts"
import { PacedResponse } from "../../../src/server/listener/pacing/PacedResponse.ts"

describe("aborted requests", () => {
  it("enqueue: 10 functions of a millisecond → two run in each turn, in order", async () => {
    let time = 0
    const aborts = Aborts.make(() => time)
    const ran: Array<number> = []
    for (let i = 0; i < 10; i++) {
      aborts.enqueue(() => {
        time++
        ran.push(i)
      })
    }
    assert.isEmpty(ran)
    await turn()
    assert.deepStrictEqual(ran, [0, 1])
    await turn()
    assert.deepStrictEqual(ran, [0, 1, 2, 3])
    while (ran.length < 10) await turn()
    assert.deepStrictEqual(ran, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it("enqueue: a function enqueues another one → both run", async () => {
    const aborts = Aborts.make(() => 0)
    const ran: Array<string> = []
    aborts.enqueue(() => {
      ran.push("one")
      aborts.enqueue(() => ran.push("two"))
    })
    while (ran.length < 2) await turn()
    assert.deepStrictEqual(ran, ["one", "two"])
  })

  it("clients disconnect before the answer → each response is closed once; an answered one is closed, too", async () => {
    const closed: Array<string> = []
    const server = createServer({ ServerResponse: PacedResponse }, (request, response) => {
      response.on("close", () => closed.push(`${request.url} ${response.destroyed}`))
      if (request.url === "/answered") response.end("x")
      else server.emit("waiting")
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const text = await (await fetch(`http://127.0.0.1:${port}/answered`)).text()
    assert.strictEqual(text, "x")
    for (let i = 0; i < 5; i++) {
      const socket = connect(port, "127.0.0.1", () => socket.write(`GET /${i} HTTP/1.1\r\nHost: x\r\n\r\n`))
      await once(server, "waiting")
      socket.destroy()
    }
    while (closed.length < 6) await turn()
    const expected = ["/answered true", "/0 true", "/1 true", "/2 true", "/3 true", "/4 true"]
    assert.sameMembers(closed, expected)
    server.closeAllConnections()
    server.close()
  })
})
