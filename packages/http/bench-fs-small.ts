import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { createHash } from "node:crypto"
import * as FsBlobStore from "../adapters/fs/src/FsBlobStore.ts"
import * as Stream from "effect/Stream"
const mode = process.argv[2], dir = process.argv[3]!, n = Number(process.argv[4] ?? 20000), conc = Number(process.argv[5] ?? 1)
const data = Buffer.alloc(4096, 7)
const id = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`
const key = (n: number) => `ten_${id(0)}/bkt_${id(0)}/blb_${id(n)}`
const p = (f: (cb: (e: any, v?: any) => void) => void) => new Promise<any>((ok, no) => f((e, v) => e ? no(e) : ok(v)))
const bare = async (i: number) => {
  const t = `${dir}/tmp/blb_${id(i)}.${i}`, b = `${dir}/b/${(i & 255).toString(16).padStart(2, "0")}`
  const fd = await p(cb => Fs.open(t, "wx", 0o600, cb))
  createHash("sha256").update(data).digest("hex")
  await p(cb => Fs.write(fd, data, 0, 4096, null, cb)); await p(cb => Fs.fsync(fd, cb)); await p(cb => Fs.close(fd, cb))
  await p(cb => Fs.rename(t, `${b}/blb_${id(i)}`, cb)); const d = await p(cb => Fs.open(b, "r", cb)); await p(cb => Fs.fsync(d, cb)); await p(cb => Fs.close(d, cb))
}
let c0: NodeJS.CpuUsage, t0: number
const start = () => { c0 = process.cpuUsage(); t0 = performance.now() }
if (mode === "bare") {
  Fs.mkdirSync(`${dir}/tmp`, { recursive: true }); for (let i = 0; i < 256; i++) Fs.mkdirSync(`${dir}/b/${i.toString(16).padStart(2, "0")}`, { recursive: true })
  for (let i = 1e6; i < 1e6 + 2000; i++) await bare(i)
  start()
  let next = 0
  await Promise.all(Array.from({ length: conc }, async () => { while (next < n) await bare(next++) }))
} else {
  await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const store = yield* FsBlobStore.make({ directory: dir })
    for (let i = 0; i < 2000; i++) yield* store.put(key(1e6 + i), Stream.make(data))
    start()
    yield* Effect.forEach(Array.from({ length: n }, (_, i) => i), (i) => store.put(key(i), Stream.make(data)), { concurrency: conc, discard: true })
  })))
}
const c = process.cpuUsage(c0!)
console.log(mode, "conc", conc, "cpu µs/put", ((c.user + c.system) / n).toFixed(0), "wall µs/put", ((performance.now() - t0!) * 1000 / n).toFixed(0))
