import { once } from "node:events"
import * as Fs from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openScanned } from "../src/virus-scan.ts"

/** A scanner that answers as clamd does. It finds the text EICAR. */
const startScanner = async (): Promise<number> => {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on("error", () => undefined)
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (!received.subarray(-4).equals(Buffer.alloc(4))) return
      const found = received.includes("EICAR") ? "stream: Eicar-Signature FOUND" : "stream: OK"
      socket.end(received.includes("broken") ? "INSTREAM size limit exceeded. ERROR\0" : `${found}\0`)
    })
  }).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

it("upload through the scanner: clean → stored; infected → change_refused; its error → hook_failed", async () => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "virus-scan-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const holdfast = await openScanned(directory, await startScanner())
  onTestFinished(() => holdfast.close())
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "docs" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  const upload = (name: string, content: string) => holdfast.files.upload(ada, { ...ref, name, content })

  expect((await upload("clean", "x".repeat(1_000_000))).version).toBe(1)
  await expect(upload("infected", `${"x".repeat(100_000)}EICAR`)).rejects.toMatchObject({ code: "change_refused" })
  await expect(upload("broken", "broken")).rejects.toMatchObject({ code: "hook_failed" })
  expect((await holdfast.files.list(ada, ref)).items.map(({ name }) => name)).toEqual(["clean"])
})
