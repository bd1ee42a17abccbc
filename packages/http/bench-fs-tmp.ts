import * as Effect from "effect/Effect"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Fs from "node:fs"
import * as Fsp from "node:fs/promises"
import { createHash } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { Transform, Readable } from "node:stream"
import * as FsBlobStore from "../adapters/fs/src/FsBlobStore.ts"
import * as Stream from "effect/Stream"

const mode = process.argv[2], dir = process.argv[3]!, size = Number(process.argv[4] ?? 1024) * 1024 * 1024
const pool = Array.from({ length: 64 }, (_, i) => Buffer.alloc(65536, i))
const source = () => {
  let sent = 0
  return new Readable({ highWaterMark: 65536, read() { if (sent >= size) { this.push(null); return } const b = Buffer.allocUnsafeSlow(65536); pool[(sent / 65536) % 64]!.copy(b); sent += 65536; setImmediate(() => this.push(b)) } })
}
const key = (n: number) => `ten_01890000-0000-7000-8000-000000000000/bkt_01890000-0000-7000-8000-000000000000/blb_01890000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`
const cpu0 = process.cpuUsage(), t0 = performance.now()
if (mode === "bare") {
  const hash = createHash("sha256")
  const tr = new Transform({ transform(c, _e, cb) { hash.update(c); cb(null, c) } })
  await pipeline(source(), tr, Fs.createWriteStream(`${dir}/bare.tmp`, { flags: "w", flush: true }))
  console.log(hash.digest("hex").slice(0, 8))
} else if (mode === "barenohash") {
  await pipeline(source(), Fs.createWriteStream(`${dir}/bare.tmp`, { flags: "w", flush: true }))
} else if (mode === "source") {
  for await (const _ of source()) {}
} else if (mode === "sourcestream") {
  await Effect.runPromise(Stream.runForEachArray(NodeStream.fromReadable({ evaluate: source }), () => Effect.void))
} else {
  await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const store = yield* FsBlobStore.make({ directory: dir })
    const r = yield* store.put(key(1), NodeStream.fromReadable({ evaluate: source }))
    console.log(r.sha256.slice(0, 8))
  })))
}
const c = process.cpuUsage(cpu0)
console.log(mode, "cpu", ((c.user + c.system) / 1e6).toFixed(2), "user", (c.user / 1e6).toFixed(2), "sys", (c.system / 1e6).toFixed(2), "wall", ((performance.now() - t0) / 1000).toFixed(2), "maxrss MB", (process.resourceUsage().maxRSS / 1024).toFixed(0))
